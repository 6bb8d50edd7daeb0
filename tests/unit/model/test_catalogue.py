from orchestrate.model.catalogue import ANY_MODEL, Catalogue, catalogue_of
from orchestrate.model.wire import Model, ModelPage

ONE, TWO = Model(id="one", aliases=("first", "two")), Model(id="two")


def test_a_model_is_found_by_its_id_before_anybodys_alias():
    catalogue = Catalogue((ONE, TWO))
    assert (catalogue.find("first"), catalogue.find("two"), catalogue.find("three")) == (ONE, TWO, None)
    assert (catalogue.ids, catalogue.names) == (("one", "two"), ("one", "two", "first"))
    assert not catalogue.is_open


def test_a_service_that_lists_nothing_or_only_a_default_takes_any_name():
    assert catalogue_of(()) == catalogue_of((Model(id="default"),)) == ANY_MODEL
    assert ANY_MODEL.is_open
    assert catalogue_of((Model(id="default"), TWO)).ids == ("default", "two")


def test_settings_are_read_as_the_service_tells_them():
    told = b'{"items": [{"id": "one", "parameters": [{"id": "effort", "values": [{"value": "high", "displayName": "H"}]}]}]}'
    ((setting,),) = [model.parameters for model in ModelPage.model_validate_json(told).items]
    assert (setting.id, [value.value for value in setting.values]) == ("effort", ["high"])
