from pathlib import Path

from orchestrate.repo.sandbox import HOME_INSIDE, bubblewrapped, command_environment


def test_a_command_gets_a_few_harmless_variables():
    variables = {"PATH": "/usr/bin", "LANG": "C.UTF-8", "API_TOKEN": "secret", "HOME": "/home/me", "SSH_AUTH_SOCK": "x"}
    environment = command_environment(variables, home=HOME_INSIDE)
    assert environment == {
        "PATH": "/usr/bin",
        "LANG": "C.UTF-8",
        "HOME": HOME_INSIDE,
        "TERM": "dumb",
        "GIT_TERMINAL_PROMPT": "0",
    }
    assert command_environment({}, home="/h")["PATH"] == "/usr/bin:/bin"


def test_only_the_checkout_can_be_written():
    argv = bubblewrapped(["bash", "-c", "true"], checkout=Path("/c"), objects=Path("/o"))
    assert argv[0] == "bwrap"
    assert argv[-4:] == ["--", "bash", "-c", "true"]
    assert [argv[place + 1] for place, word in enumerate(argv) if word == "--bind"] == ["/c"]
    assert not {"/home", "/root", "/etc", "/"} & set(argv)


def test_the_network_is_there_only_where_it_is_asked_for():
    assert "--share-net" not in bubblewrapped(["true"])
    assert "--share-net" in bubblewrapped(["true"], has_network=True)
