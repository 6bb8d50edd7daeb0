from orchestrate.cli.screens.layout import Look, rendered
from orchestrate.cli.screens.models import ModelsView, TaskModel, models_screen, settings_of
from orchestrate.model.catalogue import Catalogue
from orchestrate.model.wire import Model

ONE = Model.model_validate(
    {
        "id": "one",
        "displayName": "One",
        "aliases": ["first"],
        "parameters": [{"id": "effort", "values": [{"value": "low"}, {"value": "high"}]}, {"id": "tone"}],
    }
)


def screen(*tasks: TaskModel, columns: int = 80, hints=()) -> list[str]:
    look = Look(columns=columns)
    return rendered(models_screen(ModelsView("the service", Catalogue((ONE,)), tasks, hints), look), look)


def test_the_short_form_leaves_out_the_name():
    assert screen() == [
        "the service   1 model",
        "  model               also called           settings",
        "○ one                 first                 effort: low, high; tone",
    ]


def test_the_long_form_has_it():
    assert screen(columns=120)[-1].split() == ["○", "one", "One", "first", "effort:", "low,", "high;", "tone"]


def test_a_checked_plan_stands_first():
    shown = screen(
        TaskModel("a", "worker", "one"),
        TaskModel("b", "worker", "one", is_fallback=True),
        TaskModel("c", "verifier", "gone", is_missing=True),
        hints=('use "one"',),
    )
    assert [line[:1] for line in shown[1:4]] == ["✓", "!", "✗"]
    assert shown[4] == '  do  use "one"'


def test_settings_are_listed_with_their_values():
    assert settings_of(Model(id="x")) == ""
