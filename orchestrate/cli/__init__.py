"""The command line: verbs, settings, wiring. The only layer that prints, exits, or reads the environment."""
