import anyio
import structlog

from orchestrate.server.assembly import Surroundings, assemble
from orchestrate.server.database import Database
from orchestrate.server.discovery import ServerFile
from orchestrate.server.options import ServerOptions
from orchestrate.server.state import StateFolder


async def test_the_parts_answer_together(tmp_path):
    used, sent = [], []

    async def send(message):
        sent.append(message)

    surroundings = Surroundings(
        options=ServerOptions(state_dir=tmp_path, models=("large",)),
        folder=StateFolder(tmp_path),
        file=ServerFile(port=7, pid=1, started=0, token="token", version="1"),
        log=structlog.wrap_logger(structlog.ReturnLogger()),
        on_use=lambda: used.append(True),
    )
    database = Database(tmp_path / "server.db")
    async with anyio.create_task_group() as tasks:
        parts = assemble(surroundings, database=database, tasks=tasks)
        headers = [(b"host", b"127.0.0.1:7"), (b"authorization", b"Bearer token")]
        scope = {"type": "http", "method": "GET", "path": "/v1/models", "query_string": b"", "headers": headers}
        await parts.app(scope, None, send)
    database.close()

    assert sent[1]["body"] == b'{"items":[{"id":"large","displayName":"large"}]}'
    assert used
    assert parts.live_runs.count == 0
    assert parts.retention.folder == surroundings.folder
