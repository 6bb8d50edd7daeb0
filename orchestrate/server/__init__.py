"""The Cloud Agents API on this machine: agents as real processes, on real branches, without any key."""

from orchestrate.server.discovery import Endpoint
from orchestrate.server.serve import ServerStatus, ensure_server, server_status, stop_server

__all__ = ["Endpoint", "ServerStatus", "ensure_server", "server_status", "stop_server"]
