import pytest

from orchestrate.cli.recovery import what_to_do
from orchestrate.errors import (
    InputRefused,
    OutcomeUnknown,
    PlanRefused,
    ProtocolBroken,
    RateLimited,
    Refused,
    SeveralRefused,
    StorageFailed,
    Unavailable,
)

AGAIN = "run the same command again"
ADDRESS = "the service's address (CURSOR_BACKEND_URL)"


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (Unavailable("down", hint="what it says itself"), "what it says itself"),
        (PlanRefused("1 fault", faults=[]), f"mend the faults, then {AGAIN}"),
        (SeveralRefused("2 faults", refusals=[]), f"mend the faults, then {AGAIN}"),
        (RateLimited("slow", retry_after_seconds=30), f"wait 30 s, then {AGAIN}"),
        (RateLimited("slow"), AGAIN),
        (Unavailable("down"), AGAIN),
        (OutcomeUnknown("perhaps"), AGAIN),
        (Unavailable("nobody", code="unreachable"), f"check the network and {ADDRESS}, then {AGAIN}"),
        (ProtocolBroken("odd"), f"check that {ADDRESS} leads to the Cloud Agents API"),
        (Refused("not here", status=404), f"check what the call names, and {ADDRESS}"),
        (Refused("no", status=403), None),
        (StorageFailed("full"), f"make room on the disk, then {AGAIN}"),
        (InputRefused("wrong"), None),
    ],
)
def test_an_error_says_what_to_do_itself_or_by_whose_move_is_next(error, advice):
    assert what_to_do(error) == advice
