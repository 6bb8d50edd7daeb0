import httpx
import pytest

from orchestrate.cloud import answer_parser
from orchestrate.cloud.answer_parser import AnswerParser

PLAIN = b"HTTP/1.1 200 OK\r\nX-One: a\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nX-Behind: b\r\n\r\n"
TO_THE_END = b"HTTP/1.1 200 OK\r\n\r\nhello"


def fed(*pieces):
    parser = AnswerParser()
    for piece in pieces:
        parser.feed(piece)
    return parser


@pytest.mark.parametrize("answer", [PLAIN, CHUNKED])
def test_an_answer_may_be_cut_anywhere(answer):
    for place in range(1, len(answer)):
        parser = fed(answer[:place], answer[place:])
        assert (parser.status, parser.take(), parser.is_over) == (200, b"hello", True)
        assert parser.leaves_connection_open


def test_headers_are_as_they_came_and_those_behind_the_body_are_none():
    assert fed(PLAIN).headers == [(b"X-One", b"a"), (b"Content-Length", b"5")]
    assert fed(CHUNKED).headers == [(b"Transfer-Encoding", b"chunked")]


def test_what_was_taken_does_not_come_again():
    parser = fed(PLAIN[:-2])
    assert parser.take() == b"hel"
    parser.feed(PLAIN[-2:])
    assert (parser.take(), parser.take()) == (b"lo", b"")


def test_an_interim_answer_is_passed_over():
    parser = fed(b"HTTP/1.1 100 Continue\r\nX-Zero: z\r\n\r\n")
    assert not parser.has_head
    parser.feed(PLAIN)
    assert (parser.status, parser.headers[0], parser.take()) == (200, (b"X-One", b"a"), b"hello")


def test_an_answer_without_a_length_ends_with_the_connection():
    parser = fed(TO_THE_END)
    assert not parser.is_over
    parser.end()
    assert (parser.is_over, parser.take(), parser.leaves_connection_open) == (True, b"hello", False)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\n", PLAIN[:-1], CHUNKED[:-2]])
def test_an_end_in_the_middle_breaks_the_protocol(answer):
    parser = fed(answer)
    with pytest.raises(httpx.RemoteProtocolError):
        parser.end()


def test_the_end_after_a_whole_answer_is_nothing_special():
    parser = fed(PLAIN)
    parser.end()
    assert parser.take() == b"hello"


@pytest.mark.parametrize(
    "answer",
    [
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    ],
)
def test_what_is_no_answer_breaks_the_protocol(answer):
    with pytest.raises(httpx.RemoteProtocolError):
        fed(answer)


@pytest.mark.parametrize("surplus", [b"garbage", PLAIN])
def test_a_connection_that_says_more_than_was_asked_is_not_used_again(surplus):
    parser = fed(PLAIN + surplus)
    assert (parser.take(), parser.is_over, parser.leaves_connection_open) == (b"hello", True, False)
    assert parser.headers == [(b"X-One", b"a"), (b"Content-Length", b"5")]


def test_a_connection_that_the_server_means_to_close_is_not_used_again():
    assert not fed(PLAIN.replace(b"X-One: a", b"Connection: close")).leaves_connection_open


def test_a_head_without_an_end_is_not_read_for_ever(monkeypatch):
    monkeypatch.setattr(answer_parser, "LONGEST_HEAD", 100)
    parser = fed(b"HTTP/1.1 200 OK\r\n")
    with pytest.raises(httpx.RemoteProtocolError, match="more than 100 bytes"):
        parser.feed(b"X-Long: " + b"x" * 200)
