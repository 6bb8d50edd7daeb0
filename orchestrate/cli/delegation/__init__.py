"""One agent at a time: launched, followed up, looked at and stopped from the command line, with one JSON object a call."""
