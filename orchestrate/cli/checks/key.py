"""Whether the service takes the key, and whose it is."""

from http import HTTPStatus

from orchestrate.cli.checks.findings import Check, Finding, fault, good
from orchestrate.cloud.client import CloudClient
from orchestrate.errors import Refused, ServiceError
from orchestrate.model.vocabulary import RuntimeKind
from orchestrate.model.wire import Me


async def check_key(client: CloudClient, *, kind: RuntimeKind) -> Finding:
    """A fault for a key that the service does not take, and for a service that does not answer."""
    try:
        me = await client.me()
    except Refused as error:
        return _refused(error, kind=kind)
    except ServiceError as error:
        return fault(Check.KEY, error.message, hint="check the network, then try again")
    return good(Check.KEY, f"the service takes the key {_whose(me)}")


def _refused(error: Refused, *, kind: RuntimeKind) -> Finding:
    if error.status == HTTPStatus.UNAUTHORIZED and kind is RuntimeKind.CLOUD:
        return fault(
            Check.KEY,
            "the service refused the key in CURSOR_API_KEY (401)",
            hint="make a new key at the service, set CURSOR_API_KEY, then type the same command again",
        )
    return fault(Check.KEY, error.message, hint=error.hint)


def _whose(me: Me) -> str:
    """``"ci" of Ana Lima (ana@example.org)``, as far as the service tells it."""
    name = " ".join(part for part in (me.user_first_name, me.user_last_name) if part)
    mail = f"({me.user_email})" if name and me.user_email else me.user_email or ""
    owner = " ".join(part for part in (name, mail) if part)
    return f'"{me.api_key_name}"' + (f" of {owner}" if owner else "")
