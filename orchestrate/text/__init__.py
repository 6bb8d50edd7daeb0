"""Words in and words out: prompts, handoffs, postmortems, redaction. Pure functions of text."""
