"""The Cloud Agents API from the client's side."""
