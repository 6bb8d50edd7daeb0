"""The wheel as users get it, and an environment with nothing but that wheel and its dependencies; no network."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

PROJECT = Path(__file__).parents[2]
#: What a build reads; the rest of a checkout, its build folders above all, has no say.
_SOURCES = ("pyproject.toml", "README.md", "LICENSE", "orchestrate", "templates", "plans", "examples", "skills")


def build_wheel(folder: Path) -> Path:
    """The wheel, built from a copy of the sources."""
    sources = folder / "sources"
    sources.mkdir()
    for name in _SOURCES:
        place = PROJECT / name
        if place.is_dir():
            shutil.copytree(place, sources / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(place, sources)
    _leave_compiled_files_behind(sources)
    _pip("wheel", "--no-build-isolation", "--wheel-dir", str(folder), str(sources))
    (wheel,) = folder.glob("*.whl")
    return wheel


def install_wheel(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel in it, and dependencies from the environment of the tests; its Python."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    _pip("--python", str(python), "install", "--no-index", str(wheel))
    packages = next((folder / "lib").glob("python*/site-packages"))
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return python


def _leave_compiled_files_behind(sources: Path) -> None:
    """As running the examples does; none of it may reach the wheel."""
    compiled = sources / "examples" / "quickstart" / "__pycache__"
    compiled.mkdir()
    (compiled / "agent.cpython-311.pyc").write_bytes(b"")


def _pip(*arguments: str) -> None:
    verb = next(index for index, word in enumerate(arguments) if word in ("wheel", "install"))
    command = [*arguments[: verb + 1], "--quiet", "--no-deps", "--disable-pip-version-check", *arguments[verb + 1 :]]
    done = subprocess.run([sys.executable, "-m", "pip", *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
