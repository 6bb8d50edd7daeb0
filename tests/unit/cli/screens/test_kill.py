from orchestrate.cli.screens.kill import toll_lines, victims_lines
from orchestrate.core.lineage import Sighting


def seen(name, depth=1):
    return Sighting(f"bc-{name}", task=name, depth=depth)


def test_victims_stand_below_their_level_and_the_time_stands_last():
    lines = victims_lines("shop", [seen("plan"), seen("leaf", 2), Sighting("bc-x", depth=2)], seconds=40)
    assert lines == [
        "shop: 3 agents may be alive, parents first",
        "  plan  bc-plan",
        "    leaf  bc-leaf",
        "    agent  bc-x",
        "takes ~40s at least",
    ]


def test_a_long_list_is_cut_unless_all_of_it_is_wanted():
    many = [seen(f"t{number}") for number in range(25)]
    short = victims_lines("shop", many, seconds=0)
    assert short[-2:] == ["  + 5 more (-v shows them)", "takes ~1s at least"]
    assert len(victims_lines("shop", many, seconds=0, is_whole=True)) == 27


def test_who_is_out_of_reach_is_told():
    lines = victims_lines("bc-a", [seen("a")], seconds=1, strays=[seen("stray"), Sighting("bc-y")])
    assert lines[0] == "bc-a: 1 agent may be alive"
    assert lines[2:5] == [
        "out of reach: 2 agents of the same tree without a parent link",
        "  stray  bc-stray",
        "  agent  bc-y",
    ]


def test_the_toll_says_what_is_proved_and_what_is_not():
    certain = toll_lines(cancelled=12, over=3, alive={}, seconds=4.2, looks=2, is_certain=True)
    assert certain == ["12 cancelled, 3 over before; nobody is left alive after 2 looks, 4s"]
    doubtful = toll_lines(cancelled=1, over=0, alive={"bc-a": "not yours"}, seconds=600, looks=9, is_certain=False)
    assert doubtful == ["1 cancelled, 0 over before; 1 agent may be alive still", "  bc-a: not yours"]
