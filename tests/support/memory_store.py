"""The engine's ports in memory, for tests under virtual time; ``tests/contract`` holds the store to the same promises."""

from orchestrate.errors import Refused, WorkspaceDamaged
from orchestrate.ports import Misfit, PlanEdit, Ran


class MemoryLedger:
    """A journal that a test can read."""

    def __init__(self):
        self.records = []
        self.snapshots = 0

    async def append(self, records):
        first = len(self.records) + 1
        assert [record.seq for record in records] == list(range(first, first + len(records)))
        self.records.extend(records)

    async def write_snapshot_if_due(self, now):
        pass

    async def write_snapshot(self):
        self.snapshots += 1


class MemoryArchive:
    """Requests and replies in dictionaries."""

    def __init__(self):
        self.requests = {}
        self.replies = {}
        self.handoffs = {}
        self.postmortems = {}

    async def write_request(self, task, attempt, body):
        if self.requests.setdefault((task, attempt), body) != body:
            raise WorkspaceDamaged(f"requests/{task}.{attempt}.json is there with another request")

    async def read_request(self, task, attempt):
        return self.requests.get((task, attempt))

    async def save_reply(self, task, attempt, *, raw, handoff, postmortem=None, follow_up=0):
        self.replies[(task, attempt, follow_up) if follow_up else (task, attempt)] = raw
        self.handoffs[task] = handoff.decode()
        if postmortem is not None:
            self.postmortems[postmortem[0]] = postmortem[1]
        return f"handoffs/{task}.md"

    async def read_handoff(self, task):
        return self.handoffs.get(task)


class MemoryRequests:
    """An inbox: what a test puts into ``waiting`` stays there until it is answered."""

    def __init__(self, archive):
        self._archive = archive
        #: Texts by message, as their senders have put them there.
        self.messages = {}
        self.waiting = []
        self.answers = []
        #: The tombstone.
        self.stop = None

    async def read_stop(self):
        return self.stop

    async def take_requests(self):
        misfits = [item for item in self.waiting if isinstance(item, Misfit)]
        taken, self.waiting = self.waiting, [item for item in self.waiting if item not in misfits]
        return taken

    async def save_acceptance(self, task, acceptance, *, handoff):
        self._archive.handoffs[task] = handoff.decode()
        return f"handoffs/{task}.md"

    async def read_message(self, message):
        return self.messages.get(message)

    async def answer_request(self, answer):
        self.answers.append(answer)
        self.waiting = [item for item in self.waiting if item.id != answer.id]


class MemoryDifferences:
    """Branches and the files that each changed; asked for another one, nobody can tell."""

    def __init__(self):
        self.files = {}
        self.asked = []

    async def changed_files(self, *, branch, start):
        self.asked.append((branch, start))
        if branch not in self.files:
            raise Refused(f"{branch} is not on the remote", code="branch_not_found")
        found = self.files[branch]
        return await found() if callable(found) else found


class MemoryHeads:
    """A remote that has every branch that it is asked for, each at a commit of its own; without ``absent`` ones."""

    def __init__(self):
        self.absent = set()
        self.asked = []
        #: Called before each answer; what it raises is the answer.
        self.trouble = None

    async def heads(self, names):
        self.asked.append(tuple(names))
        if self.trouble is not None:
            await self.trouble()
        return {name: f"sha of {name}" for name in names if name not in self.absent}


class MemoryBench:
    """Commands print what a test says of their line; of another one nobody can tell."""

    def __init__(self):
        self.prints = {}
        self.asked = []

    async def run(self, *, branch, sha, commands):
        self.asked.append((branch, sha, tuple(commands)))
        return [await self._ran(command) for command in commands]

    async def _ran(self, command):
        found = self.prints.get(command.line, Ran(not_run="nobody said what it prints"))
        return await found() if callable(found) else found


class RecordingSurface:
    """What people would have been shown."""

    def __init__(self):
        self.publications = []
        self.activities = []

    def publish(self, publication):
        self.publications.append(publication)

    def saw_activity(self, task, doing):
        self.activities.append((task, doing))

    @property
    def attention(self):
        return [line.message for each in self.publications for line in each.attention]


class MemoryPlanFile:
    """A plan's file whose content is a plan, or the error that reading it meets."""

    def __init__(self, plan):
        self._taken = self._content = self._offered = plan
        self._writes = 0
        self.reads = 0
        self.on_read = None

    def write(self, content):
        """Have the file say this from now on."""
        self._content = content
        self._writes += 1

    async def stamp(self):
        return (1, self._writes, 1)

    async def read(self):
        self.reads += 1
        content, on_read, self.on_read = self._content, self.on_read, None
        if on_read is not None:
            on_read()
        if isinstance(content, Exception):
            raise content
        if content == self._taken:
            return None
        self._offered = content
        return PlanEdit(content)

    def take(self):
        self._taken = self._offered
