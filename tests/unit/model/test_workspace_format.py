from orchestrate.model.workspace_format import decode_attention, workspace_document
from tests.support.records import WORKSPACE


def test_a_plain_workspace_has_two_fields():
    assert workspace_document(WORKSPACE) == {"workspaceId": WORKSPACE.workspace_id, "rootSlug": WORKSPACE.root_slug}


def test_attention_of_other_tools_is_read_as_far_as_it_goes():
    read = decode_attention([{"at": "t", "message": "m"}, {"message": "n"}, "bare", {"at": "t"}, 5])

    assert [(item.at, item.message) for item in read] == [("t", "m"), ("", "n"), ("", "bare")]
    assert decode_attention("none") == ()
