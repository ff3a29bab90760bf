import Foundation
import HTTPTypes
import Testing

extension UseCase {
    static let discovery = [
        browse, search, filters, savedSearch, feed, favourite, viewShop, viewCampaign, share, images, review, removeReview,
    ]

    private static let browse = UseCase(
        "browse", "Browse campaigns and shops nearby", needs: ["GET /v1/campaigns", "GET /v1/shops"]
    ) { director in
        let cast = try await director.cast()
        director.say("Around a place, the nearest first")
        _ = try await director.anybody.get("/v1/campaigns?near=31.2300,121.4700&radius=2000&running=true")
        director.say("The stamp cards of one shop, one to a page")
        _ = try await director.anybody.get("/v1/campaigns?shop=\(cast.shop)&kind=stampCard&sort=newest&limit=1")
        director.say("Shops")
        _ = try await director.anybody.get("/v1/shops?near=31.2300,121.4700")
        director.say("Nobody is at the pole")
        _ = try await director.anybody.get("/v1/shops?near=90,0&radius=100000")
    }

    private static let search = UseCase("search", "Search in any script", needs: ["GET /v1/campaigns", "GET /v1/shops"]) { director in
        _ = try await director.cast()
        for words in ["奶茶", "cups", "TEN+elev", "咖啡"] {
            _ = try await director.anybody.get("/v1/campaigns?q=\(words.percentEncoded)")
        }
        _ = try await director.anybody.get("/v1/shops?q=\("好喝".percentEncoded)")
    }

    private static let filters = UseCase(
        "filters", "What is open, well rated or nearly full", needs: ["GET /v1/campaigns", "GET /v1/shops"]
    ) { director in
        let cast = try await director.cast()
        _ = try await cast.stamp(try await cast.issue().code)
        _ = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":4}"#, key: "review")
        let hours = #"{"openingHours":[{"days":["saturday"],"from":"10:00","to":"02:00"}]}"#
        let tag = try await cast.owner.tag(of: "/v1/shops/\(cast.shop)")
        _ = try await cast.owner.edit("/v1/shops/\(cast.shop)", hours, seen: tag)
        director.say("It is Saturday, 17:00")
        _ = try await director.anybody.get("/v1/shops?open=true&minRating=4&sort=rating")
        director.say("Cards that lack one stamp or two")
        _ = try await director.recorded(cast.customer).get("/v1/campaigns?nearlyFull=true")
        _ = try await director.anybody.get("/v1/campaigns?nearlyFull=true")
        try await director.wait(seconds: 9 * 3_600)
        director.say("It is Sunday, 02:00")
        _ = try await director.anybody.get("/v1/shops?open=true")
    }

    private static let savedSearch = UseCase(
        "saved-search", "A search that tells what is new", needs: ["POST /v1/me/searches", "GET /v1/me/searches"]
    ) { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        let body = #"{"name":"Tea nearby","near":{"latitude":31.23,"longitude":121.47},"radius":2000,"alert":true}"#
        let id = try await customer.post("/v1/me/searches", body, key: "save").string("id")
        director.say("A shop publishes a campaign")
        _ = try await cast.owner.post("/v1/shops/\(cast.shop)/campaigns", Cast.campaignBody(title: "Winter tea"))
        _ = try await customer.get("/v1/me/searches")
        try await director.wait(seconds: 86_400)
        director.say("A day later there is a notice")
        var later = director.recorded(try await director.visitor.signedIn("+8613800138002", name: "customer"))
        later.name = "customer"
        _ = try await later.get("/v1/me/notices")
        _ = try await later.put("/v1/me/searches/\(id)/seen", key: "seen")
        _ = try await later.get("/v1/me/searches")
        director.say("Without alerts")
        _ = try await later.patch("/v1/me/searches/\(id)", #"{"alert":false}"#, key: "quiet")
        _ = try await later.delete("/v1/me/searches/\(id)", key: "remove")
    }

    private static let feed = UseCase("feed", "Follow a shop in a feed reader", needs: ["GET /s/{id}/feed.atom"]) { director in
        let cast = try await director.cast()
        let path = "/s/\(cast.shop)/feed.atom"
        let first = try await director.anybody.get(path, headers: [.minPosition: "\(cast.owner.newest.value)"])
        director.say("Nothing is new")
        _ = try await director.anybody.get(path, headers: [.ifNoneMatch: first.headers[.eTag] ?? ""])
        director.say("News around a place")
        _ = try await director.anybody.get("/feed.atom?near=31.2300,121.4700&radius=2000")
    }

    private static let favourite = UseCase(
        "favourite", "Keep favourite campaigns",
        needs: ["PUT /v1/campaigns/{id}/favorite", "DELETE /v1/campaigns/{id}/favorite", "GET /v1/me/favorites"]
    ) { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        _ = try await customer.send(.put, "/v1/campaigns/\(cast.campaign)/favorite", key: "like")
        _ = try await customer.get("/v1/me/favorites")
        _ = try await customer.get("/v1/campaigns/\(cast.campaign)")
        director.say("No longer")
        _ = try await customer.delete("/v1/campaigns/\(cast.campaign)/favorite", key: "unlike")
        _ = try await customer.get("/v1/me/favorites")
    }

    private static let share = UseCase(
        "share", "Open what was shared or scanned in a browser",
        needs: ["GET /c/{id}", "GET /s/{id}", "GET /r/{id}", "GET /b/{id}", "GET /p/{id}"]
    ) { director in
        let cast = try await director.cast()
        _ = try await director.anybody.get("/c/\(cast.campaign)")
        _ = try await director.anybody.get("/s/\(cast.shop)")
        director.say("Codes that were scanned with a camera")
        let stamp = try await cast.issue().code.replacing("-", with: "")
        _ = try await director.anybody.get("/s/\(stamp)")
        let redemption = try await cast.redemption(of: try await cast.fullCard()).code.replacing("-", with: "")
        _ = try await director.anybody.get("/r/\(redemption)")
        _ = try await director.anybody.get("/b/" + String(repeating: "A", count: 64))
        _ = try await director.anybody.get("/p/K7QF2M9X0R3T8WBN")
    }

    private static let images = UseCase(
        "images", "Send a picture", needs: ["POST /v1/images", "GET /v1/images/{id}", "DELETE /v1/images/{id}"]
    ) { director in
        let owner = director.recorded(try await director.visitor.signedIn("+8613800138001", name: "owner"))
        director.say("A picture, which the shop then shows")
        let picture = try await owner.picture()
        let shop = #"{"images":["\#(picture)"],"# + Cast.shopBody.drop { $0 != "{" }.dropFirst()
        let id = try await owner.post("/v1/shops", String(shop), key: "open").string("id")
        _ = try await director.anybody.get("/v1/shops/\(id)")
        _ = try await director.anybody.get("/v1/images/\(picture)")
        _ = try await director.anybody.get("/v1/images/\(picture)?width=320")
        director.say("What is no picture is refused")
        _ = try await owner.post("/v1/images", "no picture", key: "send")
        _ = try await director.anybody.get("/v1/images/img_00000000000000000000000000")
        director.say("Its owner takes it down; the shop still names it")
        _ = try await owner.delete("/v1/images/\(picture)", key: "take-down")
        _ = try await director.anybody.get("/v1/images/\(picture)")
    }

    private static let removeReview = UseCase("remove-review", "Remove a review", needs: ["DELETE /v1/reviews/{id}"]) { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        let review = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":1,"text":"难喝"}"#).string("id")
        _ = try await cast.owner.post("/v1/reviews/\(review)/replies", #"{"text":"抱歉。"}"#)
        director.say("Not by the shop")
        _ = try await director.recorded(cast.owner).delete("/v1/reviews/\(review)", key: "remove")
        director.say("By its author: the answers stay")
        _ = try await customer.delete("/v1/reviews/\(review)", key: "remove")
        _ = try await director.anybody.get("/v1/shops/\(cast.shop)/reviews")
    }

    private static let viewShop = UseCase("view-shop", "Look at a shop") { director in
        let cast = try await director.cast()
        _ = try await cast.customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":4}"#)
        _ = try await director.anybody.get("/v1/shops/\(cast.shop)")
        director.say("There is no such shop")
        _ = try await director.anybody.get("/v1/shops/shop_00000000000000000000000000")
    }

    private static let viewCampaign = UseCase("view-campaign", "Look at a campaign, share it, find the way there") { director in
        let cast = try await director.cast()
        director.say("Anybody who was sent its id sees it, with links for each map")
        _ = try await director.anybody.get("/v1/campaigns/\(cast.campaign)")
    }

    private static let review = UseCase("review", "Review a shop and talk about it") { director in
        let cast = try await director.cast()
        let (owner, customer) = (director.recorded(cast.owner), director.recorded(cast.customer))
        _ = try await cast.stamp(try await cast.issue().code)
        director.say("The customer says what it was like, the owner answers")
        let review = try await customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":4,"text":"很好喝！"}"#, key: "review").string("id")
        let reply = try await owner.post("/v1/reviews/\(review)/replies", #"{"text":"谢谢！下次再来。"}"#, key: "reply").string("id")
        _ = try await customer.post("/v1/reviews/\(reply)/replies", #"{"text":"一定。"}"#, key: "reply-2")
        director.say("A second rating takes the place of the first")
        _ = try await customer.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":5}"#, key: "review-2")
        _ = try await director.anybody.get("/v1/shops/\(cast.shop)/reviews?limit=10")
        director.say("Nobody reviews their own shop, and nobody says nothing")
        _ = try await owner.post("/v1/shops/\(cast.shop)/reviews", #"{"rating":5}"#, key: "own")
        _ = try await customer.post("/v1/shops/\(cast.shop)/reviews", "{}", key: "nothing")
    }
}

extension String {
    /// The text, percent-encoded for a query.
    fileprivate var percentEncoded: String { addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["+"])) ?? self }
}
