"""The refusals that the server answers with, in the contract's words."""

from orchestrate.errors import Refused, Unavailable


def invalid(message: str) -> Refused:
    """400: the request itself is wrong."""
    return Refused(message, status=400, code="validation_error")


def invalid_model(model: str, *, known: tuple[str, ...]) -> Refused:
    """400: a model that is not in the catalogue."""
    return Refused(f"Model '{model}' is unknown; known are: {', '.join(known)}", status=400, code="invalid_model")


def repository_unreadable(url: str, *, reason: str) -> Refused:
    """400: git cannot read the repository."""
    return Refused(f"Repository {url} cannot be read: {reason}", status=400, code="repository_access")


def unauthorized() -> Refused:
    """401: no token, or not ours."""
    return Refused("The bearer token is missing or wrong", status=401, code="unauthorized")


def forbidden(message: str) -> Refused:
    """403: the caller may not do this."""
    return Refused(message, status=403, code="forbidden")


def agent_not_found(agent_id: str) -> Refused:
    """404: no such agent within the caller's reach."""
    return Refused(f"Agent {agent_id} does not exist", status=404, code="agent_not_found")


def run_not_found(run_id: str) -> Refused:
    """404: no such run on that agent."""
    return Refused(f"Run {run_id} does not exist", status=404, code="run_not_found")


def agent_id_taken(agent_id: str) -> Refused:
    """409: the caller chose an id that exists."""
    return Refused(f"Agent {agent_id} exists already", status=409, code="agent_id_conflict")


def key_used_otherwise() -> Refused:
    """409: the idempotency key came before with another body."""
    return Refused("This Idempotency-Key came before with another body", status=409, code="idempotency_conflict")


def agent_busy(agent_id: str) -> Refused:
    """409: a run is active on that agent."""
    return Refused(f"A run of agent {agent_id} is active", status=409, code="agent_busy")


def agent_archived(agent_id: str) -> Refused:
    """409: an archived agent takes no follow-up."""
    return Refused(f"Agent {agent_id} is archived; unarchive it first", status=409, code="agent_archived")


def artifact_not_found(path: str) -> Refused:
    """404: the agent left no such file."""
    return Refused(f"Artifact {path!r} does not exist", status=404, code="artifact_not_found")


def link_expired() -> Refused:
    """403: not a link of ours, or no longer one."""
    return Refused("This link is not valid or has expired; ask for a new one", status=403, code="link_expired")


def not_cancellable(run_id: str, *, status: str) -> Refused:
    """409: the run has ended already."""
    return Refused(f"Run {run_id} is {status}", status=409, code="run_not_cancellable")


def body_too_large(limit: int) -> Refused:
    """413: more bytes than the server reads."""
    return Refused(f"The body is larger than {limit} bytes", status=413, code="payload_too_large")


def repository_unavailable(url: str, *, reason: str) -> Unavailable:
    """503: git cannot read the repository now; a little later it may."""
    return Unavailable(f"Repository {url} cannot be read now: {reason}", status=503, code="repository_unavailable")
