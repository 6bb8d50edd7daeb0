"""The whole of it is met in tests/integration/test_server_faults.py; here is which rule is whose."""

import orjson
from starlette.responses import PlainTextResponse

from orchestrate.server.fault_plan import FaultPlan
from orchestrate.server.injecting import FaultyApp, Standing
from tests.unit.server.test_injected_limits import SetClock


def an_app(tmp_path, rules):
    plan = FaultPlan.model_validate({"rules": rules})
    return FaultyApp(PlainTextResponse("done"), plan, Standing(SetClock(), lambda _: 0, tmp_path / "crashes"))


async def status_of(app, method="GET", path="/v1/me"):
    sent = []

    async def send(message):
        sent.append(message)

    await app({"type": "http", "method": method, "path": path, "headers": []}, None, send)
    return sent[0]["status"]


async def test_the_first_rule_that_fits_is_carried_out_and_each_counts_for_itself(tmp_path):
    app = an_app(
        tmp_path,
        [{"do": "refuse", "status": 500, "times": 1}, {"do": "refuse", "status": 503, "call": "get", "times": 2}],
    )
    assert [await status_of(app) for _ in range(3)] == [500, 503, 200]
    assert await status_of(app, "POST", "/v1/agents") == 200


async def test_a_rule_without_an_end_goes_on(tmp_path):
    app = an_app(tmp_path, [{"do": "refuse", "status": 500, "skip": 1}])
    assert [await status_of(app) for _ in range(4)] == [200, 500, 500, 500]


async def test_a_crash_that_happened_does_not_happen_again(tmp_path):
    (tmp_path / "crashes").write_text("0\n")
    app = an_app(tmp_path, [{"do": "crash", "times": 1, "skip": 1}])
    assert [await status_of(app) for _ in range(4)] == [200] * 4


async def test_a_refusal_has_the_contracts_shape(tmp_path):
    app, sent = an_app(tmp_path, [{"do": "refuse", "status": 429, "code": "x", "message": "slower"}]), []

    async def send(message):
        sent.append(message)

    await app({"type": "http", "method": "GET", "path": "/v1/me", "headers": []}, None, send)
    assert orjson.loads(sent[1]["body"]) == {"error": {"code": "x", "message": "slower"}}
