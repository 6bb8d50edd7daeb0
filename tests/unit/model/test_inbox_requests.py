"""What other processes may ask."""

import pytest

from orchestrate.model.inbox_requests import AcceptRequest, CancelRequest, InboxRequest, RequestKind, RespawnRequest


@pytest.mark.parametrize(
    "request_",
    [
        AcceptRequest("r", "ana", task="a", branch="b"),
        CancelRequest("r", "ana", task="a"),
        RespawnRequest("r", "ana", tasks=("a",)),
    ],
)
def test_every_request_says_its_kind_and_who_asks(request_):
    assert isinstance(request_, InboxRequest)
    assert request_.kind in set(RequestKind)
    assert request_.by == "ana"
