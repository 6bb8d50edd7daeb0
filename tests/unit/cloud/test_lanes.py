import httpx

from orchestrate.cloud.lanes import HttpxLane, Lanes, Outgoing


class Transport(httpx.AsyncBaseTransport):
    def __init__(self):
        self.is_closed = False
        self.requests = []

    async def handle_async_request(self, request):
        self.requests.append(request)
        return httpx.Response(204)

    async def aclose(self):
        self.is_closed = True


def a_lane(transport=None):
    return HttpxLane(transport or Transport(), base_url="https://api.example/base", timeout_seconds=3)


async def test_a_lane_of_httpx_sends_what_it_is_told():
    transport = Transport()
    lane = a_lane(transport)
    response = await lane.begin(Outgoing("POST", "/v1/agents?x=1", [(b"X-Own", b"a")], b"{}", 7))
    (request,) = transport.requests
    assert response.status_code == 204
    assert (request.method, str(request.url)) == ("POST", "https://api.example/base/v1/agents?x=1")
    assert (request.headers["x-own"], request.content) == ("a", b"{}")
    assert request.extensions["timeout"] == {"connect": 3, "read": 7, "write": 3, "pool": 3}
    await lane.aclose()
    assert transport.is_closed


async def test_the_lane_that_was_used_last_is_taken_first():
    lanes = Lanes(a_lane, spare=8)
    first, second = lanes.take(), lanes.take()
    assert first is not second
    await lanes.give_back(first)
    await lanes.give_back(second)
    assert lanes.take() is second
    assert lanes.take() is first


async def test_lanes_beyond_the_spare_ones_are_closed():
    lanes = Lanes(a_lane, spare=1)
    kept, surplus = lanes.take(), lanes.take()
    await lanes.give_back(kept)
    await lanes.give_back(surplus)
    assert (kept._transport.is_closed, surplus._transport.is_closed) == (False, True)


async def test_closing_closes_the_idle_ones():
    lanes = Lanes(a_lane, spare=8)
    lane = lanes.take()
    await lanes.give_back(lane)
    await lanes.aclose()
    assert lane._transport.is_closed
