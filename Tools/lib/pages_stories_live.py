"""The live stream of a page, where it does not simply go on."""

from pages_people import REFUSED, Shop, require, sees, signed_in


def a_stream_without_an_event(stage):
    """A stream on which nothing happened has no event to resume after. When it ends for good, the next one brings what came in between."""
    shop = Shop(stage)
    context, asked = stage.context(), []

    def answer(route):
        asked.append(route.request.url)
        if len(asked) == 1:
            # The first stream opens, sends no event and closes. The browser reconnects at once.
            route.fulfill(status=200, content_type="text/event-stream", body="retry: 10\n\n")
        elif len(asked) == 2:
            # The second stream is refused, because the session has ended. A stamp is given before the next stream opens.
            shop.stamp()
            route.fulfill(status=401, content_type="application/problem+json", body="{}")
        else:
            route.continue_()

    context.route("**/v1/me/events*", answer)
    page = signed_in(stage, shop.customer, context)
    sees(page, "stamp-card .count", "1/5")
    require(len(asked) >= 3, f"the page has opened {len(asked)} streams")
    require(not any("lastEventId" in url for url in asked), "there was an event to resume after, so this story shows nothing")
    stage.expect_faults(*REFUSED)


STORIES = [a_stream_without_an_event]
