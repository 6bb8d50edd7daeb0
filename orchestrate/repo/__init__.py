"""Repositories: their addresses, and what git knows of remote ones."""
