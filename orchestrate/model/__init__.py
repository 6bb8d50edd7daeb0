"""What the engine talks about: plan, rows, graph and wire contract, without any input or output."""
