"""What a kill is about to end, and what it came to."""

from collections.abc import Mapping, Sequence

from orchestrate.cli.kill_stones import Stones
from orchestrate.cli.messages import count_of
from orchestrate.cli.screens.durations import rough_duration
from orchestrate.core.lineage import Sighting
from orchestrate.model.names import AgentId

#: Victims that a list shows without ``-v``.
_SHOWN = 20
_INDENT = 2


def victims_lines(
    title: str, victims: Sequence[Sighting], *, seconds: float, is_whole: bool = False, strays: Sequence[Sighting] = ()
) -> list[str]:
    """Parents first, each below the level that it is on; then how long it will take at least."""
    lines = [f"{title}: {count_of(len(victims), 'agent')} may be alive{', parents first' if len(victims) > 1 else ''}"]
    shown = victims if is_whole else victims[:_SHOWN]
    lines += [f"{' ' * _INDENT * max(each.depth, 1)}{each.task or 'agent'}  {each.agent_id}" for each in shown]
    if len(shown) < len(victims):
        lines.append(f"  + {len(victims) - len(shown)} more (-v shows them)")
    if strays:
        lines.append(f"out of reach: {count_of(len(strays), 'agent')} of the same tree without a parent link")
        lines += [f"  {each.task or 'agent'}  {each.agent_id}" for each in strays[:_SHOWN]]
    lines.append(f"takes ~{rough_duration(max(seconds, 1.0))} at least")
    return lines


def toll_lines(
    *, cancelled: int, over: int, alive: Mapping[AgentId, str], seconds: float, looks: int, is_certain: bool
) -> list[str]:
    """``12 cancelled, 3 over before; nobody is left alive after 2 looks, 4s``."""
    counts = f"{cancelled} cancelled, {over} over before"
    if is_certain:
        return [f"{counts}; nobody is left alive after {count_of(looks, 'look')}, {rough_duration(max(seconds, 1.0))}"]
    return [
        f"{counts}; {count_of(len(alive), 'agent')} may be alive still",
        *(f"  {agent_id}: {why}" for agent_id, why in alive.items()),
    ]


def stones_lines(stones: Stones) -> list[str]:
    """Where engines elsewhere are told to stop, and where that was not possible."""
    lines = [f"stopped: {ref}" for ref in stones.refs[:_SHOWN]]
    lines += [f"  + {len(stones.refs) - _SHOWN} more"] if len(stones.refs) > _SHOWN else []
    missing = list(stones.missing.items())
    lines += [
        f"attention: no tombstone on {ref}: {why}; its engine is stopped by its agents' end"
        for ref, why in missing[:_SHOWN]
    ]
    return lines
