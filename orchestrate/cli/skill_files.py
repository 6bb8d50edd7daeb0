"""The skill that comes with the program, and how it gets into a folder of skills."""

from dataclasses import dataclass
from pathlib import Path

from orchestrate.errors import InputRefused
from orchestrate.shipped import shipped

NAME = "orchestrate"
#: Where agents of several makers look for the skills of a repository.
USUAL_FOLDER = Path(".agents") / "skills"


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file of the skill and its place."""

    place: Path
    content: bytes

    @property
    def is_there(self) -> bool:
        """True if the place holds just that."""
        return self.place.is_file() and self.place.read_bytes() == self.content

    @property
    def is_in_the_way(self) -> bool:
        """True if the place holds something else."""
        return (self.place.exists() or self.place.is_symlink()) and not self.is_there


def skill_files(folder: Path) -> list[SkillFile]:
    """All files of the skill, as they would lie below a folder of skills."""
    source = shipped("skills") / NAME
    return [
        SkillFile(folder / NAME / path.relative_to(source), path.read_bytes()) for path in sorted(source.rglob("*.md"))
    ]


def install(files: list[SkillFile], *, replaces: bool) -> list[Path]:
    """Write what is not there yet; the places that were written. Nothing is, where something of another would be lost."""
    try:
        others = [file.place for file in files if file.is_in_the_way]
        if others and not replaces:
            raise InputRefused(
                f"{_listed(others)} would be replaced by another text. Nothing was written.",
                hint="look at it, then add --force, or name another folder with --dir",
            )
        missing = [file for file in files if not file.is_there]
        for file in missing:
            _write(file)
    except (OSError, ValueError) as error:
        reason = (error.strerror or "no reason").lower() if isinstance(error, OSError) else "that is no path"
        place = files[0].place.parent
        raise InputRefused(
            f"the skill cannot be written to {place}: {reason}.", hint="name another folder with --dir"
        ) from error
    return [file.place for file in missing]


def _write(file: SkillFile) -> None:
    """Put the file there whole: whoever reads meanwhile sees the old one or the new one."""
    file.place.parent.mkdir(parents=True, exist_ok=True)
    part = file.place.with_name(f".{file.place.name}.part")
    part.write_bytes(file.content)
    part.replace(file.place)


def _listed(places: list[Path]) -> str:
    first, *others = (str(place) for place in places)
    return first if not others else f"{first} and {len(others)} more"
