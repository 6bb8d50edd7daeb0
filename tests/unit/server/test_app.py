import pytest
import structlog
from starlette.routing import Match

from orchestrate.server.app import build_app
from orchestrate.server.calls import Answers

APP = build_app(Answers(None, None, None, "2026", 15), log=structlog.wrap_logger(structlog.ReturnLogger()))
AGENT = "/v1/agents/bc-1"


def taken(method, path):
    """Whether a route takes that method there; None where there is none."""
    matches = {route.matches({"type": "http", "method": method, "path": path})[0] for route in APP.routes}
    if Match.FULL in matches:
        return True
    return False if Match.PARTIAL in matches else None


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/agents"),
        ("GET", "/v1/agents"),
        ("GET", AGENT),
        ("POST", f"{AGENT}/archive"),
        ("POST", f"{AGENT}/unarchive"),
        ("GET", f"{AGENT}/usage"),
        ("GET", f"{AGENT}/artifacts"),
        ("GET", f"{AGENT}/artifacts/download"),
        ("POST", f"{AGENT}/runs"),
        ("GET", f"{AGENT}/runs"),
        ("GET", f"{AGENT}/runs/run-1"),
        ("GET", f"{AGENT}/runs/run-1/stream"),
        ("POST", f"{AGENT}/runs/run-1/cancel"),
        ("GET", "/v1/models"),
        ("GET", "/v1/me"),
        ("GET", "/v1/repositories"),
        ("GET", "/v1/downloads/bc-1"),
    ],
)
def test_every_call_of_the_api_has_its_route_and_none_deletes(method, path):
    assert taken(method, path)
    assert taken("DELETE", path) is False


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/agents/", f"{AGENT}/", f"{AGENT}/x", "/v1/downloads/a/b"])
def test_what_is_no_call_has_no_route(path):
    assert taken("GET", path) is None
