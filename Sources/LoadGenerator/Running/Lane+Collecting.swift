/// Codes, stamps, rewards and what is said about them.
extension Lane {
    /// A shop's code for a customer who has paid.
    mutating func issue(_ due: ContinuousClock.Instant) async throws {
        guard ledgers.codes.waiting < Limits.codesWaitingMax else { return try await browse(0, due) }
        let index = Int(chance.next() % UInt64(shops.count))
        // Most pay for one cup, some for the whole office.
        let stamps = [1, 1, 1, 1, 2, 2, 3, 10][Int(chance.next() % 8)]
        let ask = Ask(
            method: .post, route: "POST /v1/campaigns/{id}/codes", path: "/v1/campaigns/\(shops[index].campaign)/codes",
            token: shops[index].owner, key: key(), body: #"{"stamps":\#(stamps),"validFor":86400}"#)
        guard let code: CodeBody = content(try await caller.send(ask, due: due), 201, ask) else { return }
        ledgers.codes.issued(.init(code: code.code, campaign: index, stamps: stamps))
    }

    /// Enters a code that waits; another customer may be entering it at this moment.
    mutating func stamp(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        guard let ticket = ledgers.codes.take(&chance) else { return try await issue(due) }
        let ask = Ask(
            method: .post, route: "POST /v1/stamps", path: "/v1/stamps", key: key(), body: #"{"code":"\#(ticket.code)"}"#)
        let answer = try await send(ask, as: customer, due: due)
        guard answer.status == 201 else {
            ledgers.violations.require(
                answer.status == 422 && answer.problem == "codeNotValid", "a code that was used answered \(answer.status)")
            return ledgers.codes.entered(ticket, accepted: false)
        }
        ledgers.codes.entered(ticket, accepted: true)
        guard let stamped: StampBody = content(answer, 201, ask) else { return }
        let goal = shops[ticket.campaign].goal
        customers[customer].books[ticket.campaign, default: CardBook(goal: goal)].stamped(ticket.stamps, stamped, ledgers.violations)
        if chance.next() % 8 == 0 { try await repeated(ask, answer, customer) }
    }

    /// The connection broke, so the app asks again: the same answer, byte for byte.
    private mutating func repeated(_ ask: Ask, _ first: Answer, _ customer: Int) async throws {
        let second = try await send(ask, as: customer)
        ledgers.violations.require(
            second.status == first.status && second.body == first.body, "the same request again got another answer")
    }

    /// A full card becomes its reward, once.
    mutating func redeem(_ card: CardBook.Card, at shop: Int, _ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let asking = Ask(
            method: .post, route: "POST /v1/cards/{id}/redemption", path: "/v1/cards/\(card.id)/redemption", key: key())
        guard let code: CodeBody = content(try await send(asking, as: customer, due: due), 201, asking) else { return }
        var redeeming = Ask(
            method: .post, route: "POST /v1/redemptions", path: "/v1/redemptions", token: shops[shop].owner, key: key(),
            body: #"{"code":"\#(code.code)"}"#)
        let answer = try await caller.send(redeeming)
        ledgers.violations.require(answer.status == 201, "a redemption code of a full card answered \(answer.status)")
        guard answer.status == 201 else { return }
        customers[customer].books[shop]?.redeemed(card.id)
        guard chance.next() % 4 == 0 else { return }
        redeeming.key = key()
        let again = try await caller.send(redeeming)
        ledgers.violations.require(again.status == 422, "a redemption code worked twice: \(again.status)")
    }

    mutating func review(_ customer: Int, _ due: ContinuousClock.Instant) async throws {
        let shop = Int(chance.next() % UInt64(shops.count))
        let stars = 1 + Int(chance.next() % 5)
        let ask = Ask(
            method: .post, route: "POST /v1/shops/{id}/reviews", path: "/v1/shops/\(shops[shop].id)/reviews", key: key(),
            body: #"{"rating":\#(stars),"text":"\#(stars) 颗星"}"#)
        let _: ThingBody? = content(try await send(ask, as: customer, due: due), 201, ask)
        ledgers.ratings.rated(shop: shop, by: customers[customer].number, stars)
    }
}
