"""The shell around the machine: the loop, and the performers that carry out its effects."""
