from orchestrate.cli.checks.prompt_limits import CLOUD_PROMPT_BYTES, LOCAL_PROMPT_BYTES, prompt_limit
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.server.gate import BODY_BYTES


def test_each_runtime_has_its_limit():
    assert (prompt_limit(RuntimeKind.CLOUD), prompt_limit(RuntimeKind.LOCAL)) == (
        CLOUD_PROMPT_BYTES,
        LOCAL_PROMPT_BYTES,
    )


def test_a_request_with_the_largest_prompt_is_one_that_our_server_takes():
    assert LOCAL_PROMPT_BYTES < BODY_BYTES
