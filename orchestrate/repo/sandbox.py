"""What a command of a plan may see: with ``bwrap`` a read-only system, its checkout, and nothing else.

No home folder, no network, no other process, none of this machine's configuration beyond what programs need to start.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
#: Of ``/etc`` only what programs need to start and to name hosts and users.
_SETTINGS = (
    *("alternatives", "ca-certificates", "group", "host.conf", "hosts", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"),
    *("localtime", "mime.types", "nsswitch.conf", "passwd", "pki", "protocols", "resolv.conf", "services", "ssl"),
)
#: Variables that a command gets from this machine.
_PASSED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
HOME_INSIDE = "/tmp/home"  # noqa: S108  inside the sandbox, where /tmp is new and empty


def command_environment(variables: Mapping[str, str], *, home: str) -> dict[str, str]:
    """All that a command gets to know of this machine: no key, no token, a home folder of its own."""
    passed = {name: variables[name] for name in _PASSED if name in variables}
    return {"PATH": "/usr/bin:/bin", **passed, "HOME": home, "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0"}


def bubblewrapped(
    argv: Sequence[str], *, checkout: Path | None = None, objects: Path | None = None, has_network: bool = False
) -> list[str]:
    """The same command in a sandbox; ``objects`` is a folder that it may read as well."""
    system = [part for path in _SYSTEM for part in ("--ro-bind-try", path, path)]
    settings = [part for name in _SETTINGS for part in ("--ro-bind-try", f"/etc/{name}", f"/etc/{name}")]
    scratch = ("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", HOME_INSIDE)  # noqa: S108  as above
    seen = () if objects is None else ("--ro-bind", str(objects), str(objects))
    own = () if checkout is None else ("--bind", str(checkout), str(checkout), "--chdir", str(checkout))
    apart = ("--die-with-parent", "--new-session", "--unshare-all", *(("--share-net",) if has_network else ()))
    return ["bwrap", *apart, *system, *settings, *scratch, *seen, *own, "--", *argv]
