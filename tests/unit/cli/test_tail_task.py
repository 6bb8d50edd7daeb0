import argparse
import json

from orchestrate.cli.agent_stream import Kind, Said
from orchestrate.cli.tail_task import _end, _tell, _tell_object


def test_lines_for_people_show_what_they_are(capsys):
    for kind in (Kind.TOOL, Kind.TEXT, Kind.THINKING):
        _tell(Said(kind, "x"))
    _end("finished", "the end", argparse.Namespace(json_lines=False))
    assert capsys.readouterr().out == "> x\nx\n# x\nthe end\n"


def test_lines_for_programs_are_one_object_each(capsys):
    _tell_object(Said(Kind.TOOL, "x"))
    _end("finished", "the end", argparse.Namespace(json_lines=True))
    first, last = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["event"], first["text"]) == ("tool", "x")
    assert (last["event"], last["status"], last["message"]) == ("end", "finished", "the end")
