import HTTPTypes
import Testing

extension UseCase {
    static let collecting = [stamp, cards, discard, redeem, receipt]

    private static let stamp = UseCase("stamp", "Collect stamps") { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        let first = try await cast.issue().code
        director.say("The first code opens a card")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(first)"}"#, key: "stamp-1")
        director.say("The connection broke and the app asks again: the same answer, no second stamp")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(first)"}"#, key: "stamp-1")
        director.say("With a key of its own, the code is used")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(first)"}"#, key: "stamp-2")
        director.say("Three drinks at once, typed carelessly: the card is full and the next one begins")
        let second = try await cast.issue(stamps: 3).code
        let typed = second.lowercased().replacing("-", with: " ")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(typed)"}"#, key: "stamp-3")
        director.say("Not at one's own shop")
        _ = try await director.recorded(cast.owner).post("/v1/stamps", #"{"code":"\#(try await cast.issue().code)"}"#, key: "own")
    }

    private static let cards = UseCase("cards", "Look at my cards") { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        _ = try await cast.stamp(try await cast.issue(stamps: 3).code)
        let last = try await cast.stamp(try await cast.issue(stamps: 2).code)
        director.say("Those that are of use, newest first, one to a page")
        let page = try await customer.get("/v1/me/cards?limit=1")
        _ = try await cast.customer.get("/v1/me/cards?limit=1&cursor=\(try page.string("next"))")
        director.say("The full ones")
        _ = try await customer.get("/v1/me/cards?status=full")
        director.say("One with its history, no older than the last stamp")
        let card = try last.string("card", "id")
        _ = try await customer.send(.get, "/v1/cards/\(card)", headers: [.minPosition: "\(try last.int("position"))"])
        director.say("Others do not see it")
        _ = try await director.recorded(cast.owner).get("/v1/cards/\(card)")
    }

    private static let discard = UseCase("discard", "Throw a card away") { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
        _ = try await customer.delete("/v1/cards/\(card)", key: "discard")
        _ = try await customer.get("/v1/cards/\(card)")
        _ = try await customer.get("/v1/me/cards")
        director.say("The next stamp opens another")
        _ = try await customer.post("/v1/stamps", #"{"code":"\#(try await cast.issue().code)"}"#, key: "stamp")
    }

    private static let redeem = UseCase("redeem", "Ask for the reward of a full card") { director in
        let cast = try await director.cast()
        let customer = director.recorded(cast.customer)
        director.say("Not before it is full")
        let card = try await cast.stamp(try await cast.issue(stamps: 2).code).string("card", "id")
        _ = try await customer.post("/v1/cards/\(card)/redemption", key: "early")
        _ = try await cast.stamp(try await cast.issue().code)
        director.say("A code for the counter; a newer one ends the older")
        let first = try await customer.post("/v1/cards/\(card)/redemption", key: "ask-1").string("id")
        let second = try await customer.post("/v1/cards/\(card)/redemption", key: "ask-2")
        _ = try await customer.get("/v1/redemptions/\(first)")
        _ = try await customer.get("/v1/redemptions/\(try second.string("id"))")
        director.say("It was redeemed")
        _ = try await cast.redeem(try second.string("code"))
        _ = try await customer.get("/v1/redemptions/\(try second.string("id"))")
        _ = try await customer.get("/v1/cards/\(card)")
    }

    private static let receipt = UseCase("receipt", "Prove a stamp") { director in
        let cast = try await director.cast()
        let position = try await cast.stamp(try await cast.issue().code).int("position")
        director.say("The proof, which nobody else gets")
        _ = try await director.recorded(cast.customer).get("/v1/stamps/\(position)/receipt")
        _ = try await director.recorded(cast.owner).get("/v1/stamps/\(position)/receipt")
        director.say("What it is checked against")
        _ = try await director.anybody.get("/checkpoint")
        _ = try await director.anybody.get("/tile/0/000.p/1")
    }
}
