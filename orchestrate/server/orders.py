"""Reading requests for agents and runs: from bytes to an order, or to a refusal that a person can read."""

import base64
import binascii
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import orjson
from pydantic import ValidationError

from orchestrate.model.names import AGENT_NAME_LENGTH, AgentId, is_agent_id
from orchestrate.model.wire import CreateAgent, CreateRun, LocalAgent, ModelChoice, RequestModel
from orchestrate.server.faults import invalid, invalid_model
from orchestrate.server.records import AgentRecord
from orchestrate.server.runners.contract import Order

_Request = TypeVar("_Request", bound=RequestModel)

_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def read_order(body: bytes, *, pass_env: str | None, default: LocalAgent | None, models: tuple[str, ...]) -> Order:
    """The order in a request's body; raises Refused with everything that is wrong with it."""
    request = _parsed(CreateAgent, body)
    _check(request)
    agent = request.local_agent or default
    if agent is None:
        raise invalid("localAgent: required here: this server has no agent program of its own")
    _check_model(request.model, models)
    return Order(
        agent_id=AgentId(request.agent_id) if request.agent_id else None,
        request=request,
        agent=agent,
        name=request.name or _name_from(request.prompt.text),
        body=body,
        pass_env=_read_pass_env(pass_env, names=agent.pass_env),
    )


def read_follow_up(
    body: bytes, *, agent: AgentRecord, pass_env: str | None, default: LocalAgent | None, models: tuple[str, ...]
) -> Order:
    """The order in a request for another run of the agent; raises Refused with everything that is wrong with it."""
    follow_up = _parsed(CreateRun, body)
    _raise_if_wrong(
        (not follow_up.prompt.text.strip(), "prompt.text: must not be blank"),
        (not _is_environment(follow_up.env_vars), "envVars: not fit for an environment"),
    )
    _check_model(follow_up.model, models)
    order = _followed_up(reread_order(agent.request, default=default), follow_up, body=body)
    order = replace(order, agent_id=agent.id, pass_env=_read_pass_env(pass_env, names=order.agent.pass_env))
    missing = passed_names(agent.placement) - set(order.pass_env)
    if missing:
        raise invalid(f"passEnv: values are never kept; send them again: {', '.join(sorted(missing))}")
    return order


def reread_order(body: bytes, *, default: LocalAgent | None, follow_up: bytes | None = None) -> Order:
    """The order of requests that were admitted by an earlier process; without the values of their ``passEnv``."""
    request = CreateAgent.model_validate_json(body)
    agent = request.local_agent or default or LocalAgent()
    name = request.name or _name_from(request.prompt.text)
    order = Order(agent_id=None, request=request, agent=agent, name=name, body=body)
    if follow_up is None:
        return order
    return _followed_up(order, CreateRun.model_validate_json(follow_up), body=follow_up)


def passed_names(placement: Mapping[str, str]) -> set[str]:
    """Names of environment variables that an agent was given values for, and needs at each of its runs."""
    return set(filter(None, placement.get("passed", "").split(",")))


def _followed_up(first: Order, follow_up: CreateRun, *, body: bytes) -> Order:
    """The agent's own order with another prompt; what was for its first run alone is gone."""
    request = first.request.model_copy(
        update={
            "prompt": follow_up.prompt,
            "model": follow_up.model or first.request.model,
            "env_vars": {**(first.request.env_vars or {}), **(follow_up.env_vars or {})} or None,
            "run_env_vars": None,
        }
    )
    return replace(first, request=request, body=body)


def _check_model(model: ModelChoice | None, models: tuple[str, ...]) -> None:
    if models and model is not None and model.id not in models:
        raise invalid_model(model.id, known=models)


def _parsed(model: type[_Request], body: bytes) -> _Request:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise invalid("; ".join(_readable(item["loc"], item["msg"]) for item in error.errors())) from error


def _readable(location: tuple[int | str, ...], message: str) -> str:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location).lstrip(".")
    return f"{path or 'body'}: {message}"


def _check(request: CreateAgent) -> None:
    """What the types alone do not say."""
    _raise_if_wrong(
        (request.agent_id is not None and not is_agent_id(request.agent_id), "agentId: must be bc-<uuid>"),
        (request.agent_id is not None and request.env_vars is not None, "agentId: cannot be combined with envVars"),
        (not request.prompt.text.strip(), "prompt.text: must not be blank"),
        (request.name is not None and not request.name.strip(), "name: must not be blank"),
        (len(request.name or "") > AGENT_NAME_LENGTH, f"name: at most {AGENT_NAME_LENGTH} characters"),
        (len(request.repos or ()) > 1, "repos: this server takes one repository an agent"),
        (bool(request.work_on_current_branch), "workOnCurrentBranch: here an agent always has a branch of its own"),
        (not _is_time(request.local_agent), "localAgent.timeoutSec: must be more than 0"),
        (not _is_environment(request.env_vars), "envVars: not fit for an environment"),
        (not _is_environment(request.run_env_vars), "runEnvVars: not fit for an environment"),
    )


def _raise_if_wrong(*faults: tuple[bool, str]) -> None:
    if messages := [message for is_wrong, message in faults if is_wrong]:
        raise invalid("; ".join(messages))


def _is_time(agent: LocalAgent | None) -> bool:
    return agent is None or agent.timeout_sec is None or 0 < agent.timeout_sec < float("inf")


def _is_environment(values: Mapping[str, str] | None) -> bool:
    return all(_ENV_NAME.match(name) and "\0" not in value for name, value in (values or {}).items())


def _read_pass_env(header: str | None, *, names: tuple[str, ...]) -> Mapping[str, str]:
    """The values of those names; a name without a value is one that the caller does not have either."""
    if header is None:
        return {}
    try:
        values = orjson.loads(base64.b64decode(header, validate=True))
    except (binascii.Error, orjson.JSONDecodeError) as error:
        raise invalid("passEnv: the values' header is no base64 of JSON") from error
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise invalid("passEnv: the values' header is no object of texts")
    passed = {name: value for name, value in values.items() if name in names}
    if not _is_environment(passed):
        raise invalid("passEnv: not fit for an environment")
    return passed


def _name_from(prompt: str) -> str:
    """The first line of the prompt that says something."""
    lines = (line.strip(" #\t\r") for line in prompt.splitlines())
    return next((line for line in lines if line), "agent")[:AGENT_NAME_LENGTH]
