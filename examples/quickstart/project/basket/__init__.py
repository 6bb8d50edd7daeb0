"""What a shopping basket costs."""
