from orchestrate.model.grant_schema import own_grant, row_fields


def test_both_fields_have_a_sentence_and_an_example():
    for schema in (own_grant(), row_fields()["shares"]):
        assert schema["description"]
        assert schema["examples"]
