import Testing

extension UseCase {
    static let operating = [adjust, suspend, log, health, metrics, description]

    private static let adjust = UseCase("adjust-card", "Set a card right", needs: ["POST /v1/admin/cards/{id}/adjustments"]) { director in
        let cast = try await director.cast()
        let card = try await cast.stamp(try await cast.issue(stamps: 2).code).string("card", "id")
        let body = #"{"stamps":-1,"reason":"Stamped twice for one cup."}"#
        _ = try await director.operator().post("/v1/admin/cards/\(card)/adjustments", body, key: "adjust")
        director.say("The customer sees it")
        _ = try await director.recorded(cast.customer).get("/v1/cards/\(card)")
        director.say("Others may not")
        _ = try await director.recorded(cast.owner).post("/v1/admin/cards/\(card)/adjustments", body, key: "adjust")
    }

    private static let suspend = UseCase(
        "suspend-shop", "Suspend a shop, and reinstate it",
        needs: [
            "POST /v1/admin/shops/{id}/suspension", "GET /v1/admin/shops/{id}/suspension", "DELETE /v1/admin/shops/{id}/suspension",
        ]
    ) { director in
        let cast = try await director.cast()
        let code = try await cast.issue().code
        let path = "/v1/admin/shops/\(cast.shop)/suspension"
        _ = try await director.operator().post(path, #"{"reason":"Codes were sold."}"#, key: "suspend")
        director.say("Nothing can be issued or collected there")
        _ = try await director.recorded(cast.owner).post("/v1/campaigns/\(cast.campaign)/codes", "{}", key: "code")
        _ = try await director.recorded(cast.customer).post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "stamp-1")
        director.say("Another operator reads why")
        _ = try await director.operator().get(path)
        director.say("Until it is reinstated")
        _ = try await director.operator().delete(path, key: "reinstate")
        _ = try await director.recorded(cast.customer).post("/v1/stamps", #"{"code":"\#(code)"}"#, key: "stamp-2")
    }

    private static let log = UseCase("log", "Read the log", needs: ["GET /v1/admin/events"]) { director in
        let cast = try await director.cast()
        let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
        director.say("A page from a position on; what is sealed stays sealed")
        _ = try await director.operator().get("/v1/admin/events?after=2&limit=2&type=ShopOpened")
        director.say("Everything about one card")
        _ = try await director.operator().get("/v1/admin/events?tag=card:\(card)")
    }

    private static let metrics = UseCase("metrics", "Read the service's figures", needs: ["GET /metrics"]) { director in
        _ = try await director.anybody.get("/metrics")
    }

    private static let health = UseCase("health", "Ask whether the service is well") { director in
        _ = try await director.anybody.get("/healthz")
        _ = try await director.anybody.get("/readyz")
    }

    private static let description = UseCase("description", "Read what the service can do") { director in
        _ = try await director.anybody.get("/docs")
        _ = try await director.anybody.get("/openapi.yaml")
        // This answer is too long for a transcript, so it is not recorded.
        _ = try await director.visitor.get("/openapi.json")
    }
}
