"""Which repository addresses a plan may name.

An address is handed to git and to the service: it must not be an option, carry a credential, or lead to this machine
or its neighbours. Messages never repeat the address, which may hold a secret.
"""

import ipaddress
import re

_FORMS = "must be https://…, ssh://… or user@host:path"
_LOCAL_FORMS = "a path or file:// works only with the runtime kind local"
_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\s]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)\Z", re.DOTALL)
_SCP = re.compile(r"([^@/:]*)@(\[[^\]/]*\]|[^@/:\[\]]*):(.*)\Z", re.DOTALL)
_AUTHORITY = re.compile(r"(?:(?P<user>[^@]*)@)?(?P<host>\[[^\]]*\]|[^:@\[\]]*)(?::(?P<port>\d*))?\Z")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*\Z")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\.?\Z")
_TRANSPORT = re.compile(r"[A-Za-z0-9+.-]+::")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*\Z|[0-9]+\Z")
_LOCAL_NAMES = ("localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback")
_THIS_NETWORK = ipaddress.IPv4Network("0.0.0.0/8")
#: IPv6 networks whose last four bytes are an IPv4 address.
_CARRIERS = tuple(map(ipaddress.IPv6Network, ("::/96", "::ffff:0:0/96", "64:ff9b::/96")))
_HIGHEST_PORT = 65535
_IPV4_BITS = 32


def repo_url_fault(url: str, *, local: bool) -> str | None:
    """What is wrong with the address, or None; ``local`` lets paths and ``file://`` through."""
    if not url.strip():
        return "must not be empty"
    if url.startswith("-"):
        return 'must not start with "-"'
    with_scheme = _SCHEME.match(url)
    remote = with_scheme is not None or _SCP.match(url) is not None
    if _UNSAFE.search(url if remote else url.replace(" ", "")) or url != url.strip():
        return "must not have white space or control characters"
    if with_scheme is not None:
        return _scheme_fault(with_scheme.group(1).lower(), with_scheme.group(2), local=local)
    scp = _SCP.match(url)
    if scp is not None:
        return _scp_fault(*scp.groups())
    return _path_fault(url, local=local)


def _scheme_fault(scheme: str, rest: str, *, local: bool) -> str | None:
    match scheme:
        case "https" | "ssh":
            return _network_fault(scheme, rest)
        case "file":
            return _file_fault(rest) if local else f"{_FORMS}; {_LOCAL_FORMS}"
        case _:
            return f"{_FORMS}, not {scheme}://"


def _network_fault(scheme: str, rest: str) -> str | None:
    if "?" in rest or "#" in rest:
        return "must not have a query or fragment"
    authority, _, path = rest.partition("/")
    parts = _AUTHORITY.match(authority)
    if parts is None:
        return "has credentials in it; take them out" if "@" in authority else "names no host that can be used"
    user, host, port = parts["user"], parts["host"], parts["port"]
    if user is not None and (scheme == "https" or ":" in user):
        return "has credentials in it; take them out"
    if user is not None and _USER.match(user) is None:
        return "has a user name that cannot be used"
    if port is not None and not (port and int(port[:6]) <= _HIGHEST_PORT):
        return "has a port that cannot be used"
    if not path.strip("/"):
        return "names a host and no repository"
    return _host_fault(host)


def _scp_fault(user: str, host: str, path: str) -> str | None:
    if "?" in path or "#" in path:
        return "must not have a query or fragment"
    if _USER.match(user) is None:
        return "has a user name that cannot be used"
    if path.startswith("-"):
        return 'has a path that starts with "-"'
    if not path.strip("/"):
        return "names a host and no repository"
    return _host_fault(host)


def _file_fault(rest: str) -> str | None:
    host, _, path = rest.partition("/")
    if "?" in rest or "#" in rest:
        return "must not have a query or fragment"
    if host not in ("", "localhost"):
        return "a file:// address names no host: file:///path"
    return None if path.strip("/") else "names no path"


def _path_fault(url: str, *, local: bool) -> str | None:
    if not local:
        return f"{_FORMS}; {_LOCAL_FORMS}"
    if _TRANSPORT.match(url) or ":" in url.partition("/")[0]:
        return f"{_FORMS}, or a path; write ./ before a path that has a colon"
    return None


def _host_fault(host: str) -> str | None:
    if host.startswith("["):
        address = _ipv6(host[1:-1])
        if address is None:
            return "names no host that can be used"
        return _address_fault(address)
    if _HOST.match(host) is None:
        return "names no host that can be used"
    name = host.lower().rstrip(".")
    if name in _LOCAL_NAMES or name.endswith(".localhost"):
        return "names this machine (a loopback host)"
    labels = name.split(".")
    if _NUMBER.match(labels[-1]) is None:
        return None
    number = _ipv4(labels)
    return "names no host that can be used" if number is None else _address_fault(number)


def _ipv6(text: str) -> ipaddress.IPv6Address | None:
    try:
        return ipaddress.IPv6Address(text)
    except ValueError:
        return None


def _ipv4(labels: list[str]) -> ipaddress.IPv4Address | None:
    """The address as resolvers read it: 127.1, 2130706433, 0x7f.1 and 0177.0.0.1 are all this machine."""
    numbers = [_number(label) for label in labels]
    if len(numbers) > 4 or any(number is None for number in numbers):  # noqa: PLR2004  an address has four bytes
        return None
    *bytes_before, rest = [number for number in numbers if number is not None]
    rest_bits = _IPV4_BITS - 8 * len(bytes_before)
    if rest >= 1 << rest_bits or any(number > 255 for number in bytes_before):  # noqa: PLR2004  the largest byte
        return None
    value = rest
    for place, number in enumerate(bytes_before):
        value |= number << (_IPV4_BITS - 8 * (place + 1))
    return ipaddress.IPv4Address(value)


def _number(label: str) -> int | None:
    if _NUMBER.match(label) is None or len(label) > _IPV4_BITS:
        return None
    if label[:2] in ("0x", "0X"):
        return int(label[2:] or "0", 16)
    try:
        return int(label, 8 if label.startswith("0") else 10)
    except ValueError:
        return None


def _address_fault(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> str | None:
    inner = _inner(address)
    if inner.is_loopback or inner in _THIS_NETWORK:
        return "names this machine (a loopback host)"
    return "names a link-local host" if inner.is_link_local else None


def _inner(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """The IPv4 address that an IPv6 one carries (mapped, compatible, translated, 6to4), else the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if any(address in network for network in _CARRIERS):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour or address
