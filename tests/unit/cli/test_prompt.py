from orchestrate.cli.main import main
from tests.support.builders import a_handed_off_row, a_task
from tests.support.workspaces import a_plan_document, write_plan, write_request, write_state


def test_what_was_sent_wins_over_what_would_be_sent(tmp_path, capfdbinary):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, [a_handed_off_row("a")])
    write_request(tmp_path, "a", prompt="as it was \u2713")
    assert main(["prompt", str(tmp_path), "a"]) == 0
    assert capfdbinary.readouterr().out == "as it was \u2713".encode()


def test_a_request_that_is_not_on_file_is_rendered_anew(tmp_path, capfdbinary):
    write_plan(tmp_path, a_plan_document(a_task("a")))
    write_state(tmp_path, [a_handed_off_row("a")])
    assert main(["prompt", str(tmp_path), "a"]) == 0
    assert b"a is done." in capfdbinary.readouterr().out
    assert main(["prompt", str(tmp_path), "a", "--attempt", "1"]) == 2
    assert main(["prompt", str(tmp_path), "b"]) == 2


def test_what_is_secret_here_is_not_shown_of_a_prompt(tmp_path, capfd, monkeypatch):
    """By value: neither word has the shape of a secret."""
    monkeypatch.setenv("DEPLOY_TOKEN", "blue-heron-7")
    (tmp_path / "more.env").write_text("DATABASE_URL=db://me:grey-wren-9@host\n")
    options = ["--env-file", str(tmp_path / "more.env")]
    write_plan(tmp_path, a_plan_document(a_task("a", scopedGoal="Use blue-heron-7."), a_task("b")))
    write_state(tmp_path, [a_handed_off_row("b")])
    write_request(tmp_path, "b", prompt="it was grey-wren-9")
    assert main(["prompt", str(tmp_path), "a", *options]) == 0
    told = capfd.readouterr()
    assert "Use [redacted]." in told.out
    assert "shown as [redacted]" in told.err
    assert main(["prompt", str(tmp_path), "b", *options]) == 0
    assert capfd.readouterr().out == "it was [redacted]"
