import Testing

extension UseCase {
    static let discovery = [viewShop, viewCampaign, review]

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
