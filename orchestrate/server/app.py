"""The calls of the Cloud Agents API as routes; deleting is none of them."""

import structlog
from starlette.applications import Starlette
from starlette.routing import Route

from orchestrate.server.calls import AgentCalls, Answers, RunCalls, ServerCalls
from orchestrate.server.gate import SIGNED_LINKS, exception_handlers


def build_app(answers: Answers, *, log: structlog.typing.FilteringBoundLogger) -> Starlette:
    """The application that stands behind the gate."""
    app = Starlette(
        routes=[*_server_routes(answers), *_agent_routes(answers), *_run_routes(answers)],
        exception_handlers=exception_handlers(log),
    )
    app.router.redirect_slashes = False
    return app


def _server_routes(answers: Answers) -> list[Route]:
    calls = ServerCalls(answers)
    return [
        Route("/v1/models", calls.list_models, methods=["GET"]),
        Route("/v1/me", calls.who_am_i, methods=["GET"]),
        Route("/v1/repositories", calls.list_repositories, methods=["GET"]),
        Route(f"{SIGNED_LINKS}{{agent_id}}", calls.download, methods=["GET"]),
    ]


def _agent_routes(answers: Answers) -> list[Route]:
    calls, agent = AgentCalls(answers), "/v1/agents/{agent_id}"
    return [
        Route("/v1/agents", calls.create, methods=["POST"]),
        Route("/v1/agents", calls.list, methods=["GET"]),
        Route(agent, calls.get, methods=["GET"]),
        Route(f"{agent}/archive", calls.archive, methods=["POST"]),
        Route(f"{agent}/unarchive", calls.unarchive, methods=["POST"]),
        Route(f"{agent}/usage", calls.usage, methods=["GET"]),
        Route(f"{agent}/artifacts", calls.list_artifacts, methods=["GET"]),
        Route(f"{agent}/artifacts/download", calls.link_artifact, methods=["GET"]),
    ]


def _run_routes(answers: Answers) -> list[Route]:
    calls, runs = RunCalls(answers), "/v1/agents/{agent_id}/runs"
    return [
        Route(runs, calls.create, methods=["POST"]),
        Route(runs, calls.list, methods=["GET"]),
        Route(f"{runs}/{{run_id}}", calls.get, methods=["GET"]),
        Route(f"{runs}/{{run_id}}/stream", calls.stream, methods=["GET"]),
        Route(f"{runs}/{{run_id}}/cancel", calls.cancel, methods=["POST"]),
    ]
