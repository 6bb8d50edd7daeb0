from orchestrate.server.access import OWNER
from tests.support.server_parts import LASTING, call, running

AGENT = "bc-0f8fad5b-d9cb-469f-a165-70867728950e"


async def test_a_run_lives_until_it_has_ended(tmp_path):
    async with running(tmp_path) as our:
        run = (await our.create(call(LASTING, agentId=AGENT)))["run"]
        live = our.live_runs.get(run["id"])
        assert (our.live_runs.count, our.live_runs.is_at_work(AGENT)) == (1, True)

        our.live_runs.cancel(live)
        assert not our.live_runs.is_at_work(AGENT)
        await our.ended(run)

        assert (our.live_runs.count, our.live_runs.get(run["id"])) == (0, None)


async def test_a_second_cancel_changes_nothing(tmp_path):
    async with running(tmp_path) as our:
        run = (await our.create(call(LASTING)))["run"]
        live = our.live_runs.get(run["id"])
        our.live_runs.cancel(live)
        cancelled = live.run

        our.live_runs.cancel(live)

        assert live.run is cancelled


async def test_a_stop_wakes_who_waits_for_news_and_ends_no_run(tmp_path):
    async with running(tmp_path) as our:
        run = (await our.create(call(LASTING)))["run"]
        news = our.live_runs.get(run["id"]).news

        our.live_runs.stop()

        assert news.is_set()
        assert our.lookups.is_stopping
        assert our.live_runs.count == 1


async def test_branches_of_a_run_become_those_of_its_agent(tmp_path):
    async with running(tmp_path) as our:
        prompt = 'null-runner: {"branch": "b"}'
        first = (await our.create(call(prompt, agentId=AGENT, repos=[{"url": "u"}])))["run"]
        await our.ended(first)
        our.service.create_run(call('null-runner: {"branch": "c"}', agent_id=AGENT), AGENT)
        second = our.lookups.agent(OWNER, AGENT)["latestRunId"]

        branches = (await our.ended({"id": second, "agentId": AGENT}))["git"]["branches"]

        assert [branch["branch"] for branch in branches] == ["c", "b"]
        assert our.lookups.run(OWNER, AGENT, first["id"])["git"]["branches"] == branches
