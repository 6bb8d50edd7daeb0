from pathlib import Path

from orchestrate.cli.settings import Streams, settings_of
from orchestrate.cli.surroundings import environment_of, secrets_in


def test_a_run_takes_what_it_needs_from_the_settings_of_its_command():
    variables = {
        "HOME": "/home/ana",
        "CURSOR_API_KEY": "k",
        "ORCHESTRATE_AGENT_DEPTH": "2",
        "ORCHESTRATE_INSTALL": " x ",
    }
    found = environment_of(settings_of(variables, streams=Streams()))
    assert found.variables == variables
    assert found.server_folder == Path("/home/ana/.local/state/orchestrate/server")
    assert found.current == Path.cwd()
    assert (found.api_key, found.backend_url, found.runtime, found.agent_depth) == ("k", None, None, 2)
    assert found.install == "x"


def test_values_are_secret_by_the_names_of_their_variables():
    variables = {"GH_TOKEN": "a", "DB_PASSWORD": "b", "SOME_APIKEY": "c", "deploy_private_key": "d", "PATH": "e"}
    assert list(secrets_in(variables)) == ["a", "b", "c", "d"]


def test_passwords_in_addresses_are_secret_unless_they_are_everyday_words():
    variables = {"DATABASE_URL": "postgres://me:hunter22@db/x", "OTHER_URL": "postgres://postgres:postgres@db/x"}
    assert list(secrets_in(variables)) == ["hunter22"]


def test_what_only_speaks_of_secrets_is_none():
    variables = {"MAX_TOKENS": "128000", "GH_TOKEN_FILE": "/run/token", "USE_TOKEN": "true", "SSH_AUTH_SOCK": "/tmp/x"}
    assert list(secrets_in(variables)) == []
