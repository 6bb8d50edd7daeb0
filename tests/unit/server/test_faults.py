import pytest

from orchestrate.server import faults


@pytest.mark.parametrize(
    ("refusal", "status", "code"),
    [
        (faults.invalid("x"), 400, "validation_error"),
        (faults.invalid_model("x", known=("a",)), 400, "invalid_model"),
        (faults.repository_unreadable("u", reason="r"), 400, "repository_access"),
        (faults.repository_unavailable("u", reason="r"), 503, "repository_unavailable"),
        (faults.unauthorized(), 401, "unauthorized"),
        (faults.forbidden("x"), 403, "forbidden"),
        (faults.agent_not_found("a"), 404, "agent_not_found"),
        (faults.run_not_found("r"), 404, "run_not_found"),
        (faults.agent_id_taken("a"), 409, "agent_id_conflict"),
        (faults.key_used_otherwise(), 409, "idempotency_conflict"),
        (faults.not_cancellable("r", status="FINISHED"), 409, "run_not_cancellable"),
        (faults.body_too_large(1), 413, "payload_too_large"),
    ],
)
def test_refusals_speak_the_contracts_words(refusal, status, code):
    assert (refusal.status, refusal.code) == (status, code)
