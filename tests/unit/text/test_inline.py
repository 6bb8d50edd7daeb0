from orchestrate.text.inline import LINE_LIMIT, Span, plain, read_spans


def test_spans_know_their_marks():
    assert read_spans("a `b` **c** *d* [`e`](http://x.y) ~~gone~~ &lt;<br>") == (
        Span("a "),
        Span("b", is_code=True),
        Span(" "),
        Span("c", is_strong=True),
        Span(" "),
        Span("d", is_strong=True),
        Span(" "),
        Span("e", is_code=True, href="http://x.y"),
        Span(" "),
        Span(" <"),
        Span(" "),
    )


def test_only_code_bold_and_links_are_marked():
    assert [span.is_marked for span in read_spans("a `b` **c** [d](e)")] == [False, True, False, True, False, True]


def test_plain_text_has_no_marks():
    assert plain("**a** `b`\nc\\_d snake_case") == "a b c_d snake_case"
    assert plain("") == ""


def test_long_lines_are_cut():
    assert len(plain("x" * (LINE_LIMIT + 5))) == LINE_LIMIT
