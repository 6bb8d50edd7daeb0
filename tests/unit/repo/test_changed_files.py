import os

import pytest

from orchestrate.errors import Refused
from orchestrate.repo.changed_files import RemoteDifferences
from orchestrate.repo.git import Git
from tests.support.repositories import remote

__all__ = ["remote"]


async def test_the_files_that_a_branch_changed(remote):
    remote.commit("cursor/a", {"src.py": "x = 1\n", "docs.md": "x\n"})
    remote.commit("main", {"later.py": "y = 1\n"})
    differences = RemoteDifferences(Git({"PATH": os.environ["PATH"]}), remote.url)
    assert await differences.changed_files(branch="cursor/a", start="main") == ("docs.md", "src.py")
    with pytest.raises(Refused):
        await differences.changed_files(branch="cursor/b", start="main")
