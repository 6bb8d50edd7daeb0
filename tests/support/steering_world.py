"""Messages to agents under one seed: a whole engine, a service that loses answers, and deaths at any moment.

People queue messages for tasks at any time, before and after they have handed off. The service loses requests and
answers, has other runs going on, asks for fewer calls, is late to list a run, and forgets a key after a while, so that
a message which is sent again without a look would begin a second run. Answers inside the engine are told twice. What
was queued must have begun one run each, in order.
"""

import hashlib
from random import Random

import anyio

from orchestrate.core.follow_up_events import FollowUpDelayed, FollowUpOutcomeUnknown, FollowUpSent, RunsSeen
from orchestrate.engine.assembly import Pace
from orchestrate.errors import OutcomeUnknown, RateLimited, Refused, Unavailable
from orchestrate.model.inbox_requests import SteerRequest
from orchestrate.model.vocabulary import RunStatus, TaskStatus
from tests.support.builders import a_plan
from tests.support.engine_room import EngineRoom, handoff

#: After so long the service does not know a key any more.
_KEY_SECONDS = 4.0
#: A run may be missing from the list for so long.
_UNSEEN_SECONDS = 3.0
_LOOK_UP_SECONDS = 5.0
_TOLD_TWICE = (RunsSeen, FollowUpSent, FollowUpDelayed, FollowUpOutcomeUnknown)
_MOST_LIVES = 60
#: Virtual seconds that no engine needs.
_LONGEST_SECONDS = 5000


class SteeringWorld:
    """One seed: so many messages to so many tasks, and engines that die meanwhile."""

    def __init__(self, seed, *, tasks=10, messages=100, deaths=6):
        self.random = Random(f"steering {seed}")
        self.tasks = [f"t-{number}" for number in range(tasks)]
        self.room = EngineRoom(
            a_plan(*self.tasks), max_concurrent=tasks, drain=True, pace=Pace(look_up_seconds=_LOOK_UP_SECONDS)
        )
        self.deaths_left = deaths
        self.lives = 0
        #: Text of every message by its id, in the order in which each task's were handed in.
        self.texts = {}
        self.asked = {task: [] for task in self.tasks}
        self._messages = messages
        self._created_at = {}
        self._make_service_bad()
        for task in self.tasks:
            self.room.agents[task] = self._work
        self.room.meanwhile(self._people)

    def run(self):
        """Let engines live until every message was taken in and every task is over; checks what came of it."""
        live = self.room._live
        codes = []

        async def lives():
            while len(codes) < _MOST_LIVES:
                self._plan_death()
                with anyio.move_on_after(_LONGEST_SECONDS) as patience:
                    codes.append(await self._life(live))
                assert not patience.cancelled_caught, f"an engine waits for ever: {self.room.rows}"
                if codes[-1] is not None and self._is_done():
                    return 0
            raise AssertionError(f"not done after {len(codes)} engines: {self.room.rows}")

        self.room._live = lives
        self.room.lives(1)
        self.lives = len(codes)
        self.check()
        return self

    def check(self):
        """Each message that was taken in began one run, in order, and its task says what became of it."""
        for task in self.tasks:
            row = self.room.rows[task]
            sent = self._delivered(task)
            wanted = [self.texts[message] for message in self.asked[task]]
            assert sent == wanted, f"{task}: {sent} of {wanted}"
            assert row.status == TaskStatus.HANDED_OFF, row
            assert row.queue == (), row
            assert [run.message for run in row.runs] == self.asked[task], row
            latest = self.room.service.latest_run(row.agent_id)
            assert (row.run_id, latest.status) == (latest.id, RunStatus.FINISHED), row
            handoffs = [key for key in self.room.archive.replies if key[0] == task]
            assert len(handoffs) == 1 + len(wanted), handoffs

    def _delivered(self, task):
        agent_id = self.room.rows[task].agent_id
        live = self.room.service._live_runs[agent_id]
        return [each.request.prompt.text for each in live if each.request is not None]

    def _is_done(self):
        rows = self.room.rows
        accepted = sum(map(len, self.asked.values())) == self._messages and not self.room.requests.waiting
        return accepted and all(rows[t].status == TaskStatus.HANDED_OFF and not rows[t].queue for t in self.tasks)

    async def _life(self, live):
        async with anyio.create_task_group() as beside:
            beside.start_soon(self._tell_twice)
            code = await live()
            beside.cancel_scope.cancel()
        await anyio.sleep(self.random.uniform(0.1, 3))
        return code

    async def _tell_twice(self):
        """Answers come twice, the second time at any moment of this engine's life."""
        inbox = self.room.engine._inbox
        put = inbox.put
        async with anyio.create_task_group() as echoes:

            async def echo(event):
                await anyio.sleep(self.random.choice([0.0, self.random.uniform(0, 20)]))
                put(event)

            def put_twice(event):
                put(event)
                if isinstance(event, _TOLD_TWICE) and self.random.random() < 0.4:
                    echoes.start_soon(echo, event)

            inbox.put = put_twice
            await anyio.sleep_forever()

    def _plan_death(self):
        if self.deaths_left:
            self.deaths_left -= 1
            seconds = self.random.choice([self.random.uniform(0, 2), self.random.uniform(0, 60)])
            self.room.meanwhile(lambda: self._die_after(seconds))

    async def _die_after(self, seconds):
        engine = self.room.engine
        await anyio.sleep(seconds)
        if self.room.engine is engine:
            self.room.crash()

    async def _people(self):
        for number in range(1, self._messages + 1):
            await anyio.sleep(self.random.choice([0.0, self.random.uniform(0, 8)]))
            task = self.random.choice([name for name in self.tasks if self._has_agent(name)] or [None])
            while task is None:
                await anyio.sleep(0.5)
                task = self.random.choice([name for name in self.tasks if self._has_agent(name)] or [None])
            message = f"22222222-0000-4000-8000-{number:012d}"
            text = f"message {number} to {task}"
            self.texts[message] = text
            self.asked[task].append(message)
            self.room.requests.messages[message] = text.encode()
            digest = hashlib.sha256(text.encode()).hexdigest()
            self.room.requests.waiting.append(SteerRequest(message, by="ana", task=task, digest=digest))

    def _has_agent(self, task):
        row = self.room.rows.get(task)
        return row is not None and row.run_id is not None

    async def _work(self, service, agent_id):
        await anyio.sleep(self.random.choice([0.0, self.random.uniform(0, 5), self.random.uniform(0, 60)]))
        service.end_run(agent_id, RunStatus.FINISHED, result=handoff(f"cursor/{agent_id[3:11]}"))

    def _make_service_bad(self):
        service, first_sent = self.room.service, {}

        def on_follow_up(run):
            self._created_at[run.id] = anyio.current_time()
            self.room._agents.start_soon(self._work, service, run.agent_id)

        service._on_follow_up = on_follow_up
        create, listed = service.create_run, service.list_runs

        async def create_run(agent_id, body, *, key):
            if anyio.current_time() - first_sent.setdefault(key, anyio.current_time()) > _KEY_SECONDS:
                service._answers.pop(key, None)
            await anyio.sleep(self.random.choice([0.0, self.random.uniform(0, 2)]))
            lot = self.random.random()
            if lot < 0.15:
                error = self.random.choice(_LATER)
                raise error
            if lot < 0.22:
                await anyio.sleep(5)
                raise OutcomeUnknown("no answer")
            run = await create(agent_id, body, key=key)
            if lot < 0.4:
                await anyio.sleep(5)
                raise OutcomeUnknown("no answer")
            return run

        async def list_runs(agent_id):
            if self.random.random() < 0.1:
                raise self.random.choice([OutcomeUnknown("no answer"), Unavailable("not now")])
            runs, now = await listed(agent_id), anyio.current_time()
            return tuple(run for run in runs if self._is_seen(run, now))

        service.create_run, service.list_runs = create_run, list_runs

    def _is_seen(self, run, now):
        return now - self._created_at.get(run.id, float("-inf")) > _UNSEEN_SECONDS or self.random.random() < 0.5


_LATER = (
    Refused("another run goes on", code="agent_busy", status=409),
    RateLimited("fewer calls", retry_after_seconds=2.0),
    Unavailable("not now"),
)
