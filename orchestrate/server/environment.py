"""What agents and git get to see of the server's environment: what is listed here, and nothing else."""

from collections.abc import Mapping
from pathlib import Path

from orchestrate.model.wire import METADATA_ATTEMPT, METADATA_DEPTH, METADATA_ROOT, METADATA_TASK
from orchestrate.server.discovery import Endpoint
from orchestrate.server.fault_plan import FAULTS_VARIABLE
from orchestrate.server.records import AgentRecord
from orchestrate.server.runners.contract import Order

_FOR_AGENTS = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "LANG", "LANGUAGE", "VIRTUAL_ENV"),
        *("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "XDG_CONFIG_HOME"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
        "GIT_SSL_CAINFO",
    )
)
#: The server's own git also reaches remotes that need the user's ssh agent or proxy.
_FOR_GIT = _FOR_AGENTS | {
    *("SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"),
    *("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "all_proxy"),
}
#: What the server's own process needs beside all that it may hand on.
_FOR_SERVER = ("PYTHON", "LD_LIBRARY_PATH", "DYLD_", "COVERAGE_", FAULTS_VARIABLE)
_GIT_SETTINGS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "GIT_ALLOW_PROTOCOL": "https:ssh:file",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_FROM_METADATA = {
    "ORCHESTRATE_TASK": METADATA_TASK,
    "ORCHESTRATE_ROOT": METADATA_ROOT,
    "ORCHESTRATE_ATTEMPT": METADATA_ATTEMPT,
    "ORCHESTRATE_AGENT_DEPTH": METADATA_DEPTH,
}


def server_environment(own: Mapping[str, str]) -> dict[str, str]:
    """What a new server is started with: it lives for long, and its agents can read what its process was given."""
    return {name: value for name, value in own.items() if name in _FOR_GIT or name.startswith(("LC_", *_FOR_SERVER))}


def agent_environment(
    own: Mapping[str, str], *, order: Order, agent: AgentRecord | None = None, launcher: Endpoint | None = None
) -> dict[str, str]:
    """All that an agent program sees: the list, ``passEnv``, the request's variables, and who it is.

    ``launcher`` is where, and with which token, an agent that may launch reaches its own subtree.
    """
    request = order.request
    return {
        **{name: value for name, value in own.items() if name in _FOR_AGENTS or name.startswith("LC_")},
        **order.pass_env,
        **(request.env_vars or {}),
        **(request.run_env_vars or {}),
        **(_identity(order, agent) if agent is not None else {}),
        **(_launching(launcher, agent) if launcher is not None else {}),
    }


def git_environment(own: Mapping[str, str], *, below: Path | None) -> dict[str, str]:
    """What the server's own git sees; it can ask nobody for anything.

    A repository that is not where it should be (``below``) must not be looked for in the folders above.
    """
    kept = {name: value for name, value in own.items() if name in _FOR_GIT}
    kept |= _GIT_SETTINGS
    if "GIT_SSH_COMMAND" not in kept and "GIT_SSH" not in kept:
        kept["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes"
    return kept | ({"GIT_CEILING_DIRECTORIES": str(below.parent)} if below is not None else {})


def _launching(launcher: Endpoint, agent: AgentRecord | None) -> dict[str, str]:
    """What an engine needs to launch agents from inside an agent."""
    whose = {} if agent is None else {"ORCHESTRATE_PLANNER_ID": agent.id}
    return {"CURSOR_BACKEND_URL": launcher.url, "CURSOR_API_KEY": launcher.token, **whose}


def _identity(order: Order, agent: AgentRecord) -> dict[str, str]:
    metadata = order.request.metadata or {}
    told = {name: metadata[key] for name, key in _FROM_METADATA.items() if key in metadata}
    model = {"ORCHESTRATE_MODEL": order.request.model.id} if order.request.model else {}
    return {
        "ORCHESTRATE_AGENT_DEPTH": str(agent.depth),
        **told,
        **model,
        "ORCHESTRATE_AGENT_ID": agent.id,
        "ORCHESTRATE_AGENT_NAME": order.name,
    }
