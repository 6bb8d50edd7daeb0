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
