from orchestrate.cli.agent_stream import Kind, Said
from orchestrate.cli.inspect_task import _Sample


class Clock:
    def __init__(self):
        self.now = 10.0

    def monotonic(self):
        return self.now


def test_a_sample_keeps_the_last_of_each_kind_and_how_long_nothing_came():
    clock = Clock()
    sample = _Sample(clock, clock.now)
    for number in range(20):
        sample.take(Said(Kind.TOOL, f"tool {number}"))
        sample.take(Said(Kind.TEXT, f"text {number}"))
    clock.now += 3.0
    assert (sample.tools[-1], len(sample.tools), len(sample.texts)) == ("tool 19", 5, 10)
    assert sample.last == Said(Kind.TEXT, "text 19")
    assert sample.silent_seconds == 3.0
