import pytest

from orchestrate.model.call_classes import CallClass, call_class


@pytest.mark.parametrize(
    ("method", "path", "expected"),
    [
        ("POST", "/v1/agents", CallClass.CREATE),
        ("GET", "/v1/agents", CallClass.LIST),
        ("GET", "/v1/agents/bc-1", CallClass.GET),
        ("POST", "/v1/agents/bc-1/archive", CallClass.ARCHIVE),
        ("POST", "/v1/agents/bc-1/unarchive", CallClass.ARCHIVE),
        ("POST", "/v1/agents/bc-1/runs", CallClass.FOLLOW_UP),
        ("GET", "/v1/agents/bc-1/runs", CallClass.LIST),
        ("GET", "/v1/agents/bc-1/runs/run-1", CallClass.GET),
        ("GET", "/v1/agents/bc-1/runs/run-1/stream", CallClass.STREAM),
        ("POST", "/v1/agents/bc-1/runs/run-1/cancel", CallClass.CANCEL),
        ("GET", "/v1/me", CallClass.GET),
    ],
)
def test_a_request_is_counted_in_one_class(method, path, expected):
    assert call_class(method, path) is expected
