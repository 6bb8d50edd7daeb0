from orchestrate.model.money import dollars


def test_dollars_have_two_places():
    assert (dollars(412), dollars(0), dollars(123_456.5)) == ("$4.12", "$0.00", "$1,234.57")
