"""The verbs of each group, as help and dispatch need them; nothing heavy is imported."""
