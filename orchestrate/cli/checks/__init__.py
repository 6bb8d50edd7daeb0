"""What is looked at before anything is launched, a module for each subject. They change nothing and end at no fault."""
