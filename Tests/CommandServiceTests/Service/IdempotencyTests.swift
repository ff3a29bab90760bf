import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import SharedLogs
import Testing

/// An idempotency key has one effect and one permanent answer.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct IdempotencyTests {
    @Test("A repeated request gets the same answer and adds no event", arguments: DurabilityKind.ofService)
    func repeatedRequest(over kind: DurabilityKind) async throws {
        let site = try Site(over: kind)
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service).under("visit", on: site.service)
        let code = try await shop.code(on: site.service, stamps: 3)
        let first = try await site.service.stamp(code, by: guest)
        let head = site.service.log.head
        let again = try await site.service.stamp(code, by: guest)
        #expect(first.isReplay == false && again.isReplay)
        #expect(again.facts == first.facts && again.cards == first.cards && again.position == first.position)
        #expect(site.service.log.head == head)
    }

    @Test("A request whose digest an earlier release recorded is recognised")
    func recordedByAnEarlierRelease() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let code = try await shop.code(on: site.service)
        let visit = guest.under("visit", on: site.service)
        let mark = try #require(visit.mark)
        let earlier = RequestMark(request: mark.request, digest: try #require(mark.formerDigest))
        let first = try await site.service.stamp(code, by: Caller(account: guest.account, mark: earlier))
        #expect(try await site.service.stamp(code, by: visit).facts == first.facts)
        let other = guest.under("visit", content: "something else", on: site.service)
        await #expect(throws: ServiceError.idempotencyKeyReused) { try await site.service.stamp(code, by: other) }
    }

    @Test("A replay shows the card in its state at the time of the first answer")
    func stateThen() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, goal: 3)
        let guest = try await customer(1, on: site.service)
        let codes = [try await shop.code(on: site.service), try await shop.code(on: site.service, stamps: 2)]
        let keyed = guest.under("first", on: site.service)
        let first = try await site.service.stamp(codes[0], by: keyed)
        let full = try await site.service.stamp(codes[1], by: guest)
        #expect(full.cards.first?.status == .full)
        let again = try await site.service.stamp(codes[0], by: keyed)
        #expect(again.cards == first.cards)
        #expect(again.cards.first?.stamps == 1 && again.cards.first?.status == .collecting)
    }

    @Test("A replay of a code that filled several cards shows all of them")
    func severalCards() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, goal: 3)
        let guest = try await customer(1, on: site.service).under("many", on: site.service)
        let code = try await shop.code(on: site.service, stamps: 10)
        let first = try await site.service.stamp(code, by: guest)
        #expect(first.cards.map(\.stamps) == [3, 3, 3, 1])
        let again = try await site.service.stamp(code, by: guest)
        #expect(again.facts == first.facts && again.cards == first.cards)
    }

    @Test("A repeated request to issue a code returns the first code")
    func repeatedIssue() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let owner = shop.owner.under("issue", on: site.service)
        let first = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: owner)
        let again = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: owner)
        #expect(again.facts == first.facts)
        #expect(site.service.stampCode(of: try issuing(again)) == site.service.stampCode(of: try issuing(first)))
    }

    @Test("A different request under a used idempotency key is refused, but not one of another account")
    func usedKey() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let codes = [try await shop.code(on: site.service), try await shop.code(on: site.service)]
        _ = try await site.service.stamp(codes[0], by: guest.under("key", content: "first", on: site.service))
        let head = site.service.log.head
        await #expect(throws: ServiceError.idempotencyKeyReused) {
            try await site.service.stamp(codes[1], by: guest.under("key", content: "second", on: site.service))
        }
        #expect(site.service.log.head == head)
        // The second code is still valid, because its request was refused. Another account may use the same idempotency key, because a key
        // belongs to its account.
        let other = try await customer(2, on: site.service).under("key", content: "second", on: site.service)
        _ = try await site.service.stamp(codes[1], by: other)
    }

    @Test("A rejected request is decided again under the same idempotency key", arguments: DurabilityKind.ofService)
    func decidedAgain(over kind: DurabilityKind) async throws {
        let site = try Site(over: kind)
        let shop = try await TeaShop.open(on: site.service, goal: 2)
        let guest = try await customer(1, on: site.service)
        let stamped = try await site.service.stamp(try await shop.code(on: site.service), by: guest)
        let card = try #require(stamped.cards.first?.id)
        let keyed = guest.under("reward", on: site.service)
        await #expect(throws: ServiceError.rejected(.cardNotFull)) { try await site.service.requestRedemption(of: card, by: keyed) }
        _ = try await site.service.stamp(try await shop.code(on: site.service), by: guest)
        let accepted = try await site.service.requestRedemption(of: card, by: keyed)
        #expect(!accepted.isReplay)
        #expect(try await site.service.requestRedemption(of: card, by: keyed).isReplay)
    }

    @Test("Concurrent repeats of a request have one effect and equal answers", arguments: DurabilityKind.ofService)
    func concurrentRepeats(over kind: DurabilityKind) async throws {
        let site = try Site(over: kind)
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service).under("storm", on: site.service)
        let code = try await shop.code(on: site.service)
        let head = site.service.log.head
        let answers = try await concurrently(64) { [service = site.service] _ in try await service.stamp(code, by: guest) }
        #expect(Set(answers.map(\.facts)).count == 1)
        #expect(Set(answers.map(\.cards)).count == 1)
        #expect(answers.filter { !$0.isReplay }.count == 1)
        #expect(site.service.log.head.rawValue == head.rawValue + 2, "the two events open a card and stamp it")
    }

    @Test("An answer and its idempotency key survive a restart", arguments: DurabilityKind.ofService)
    func afterRestart(over kind: DurabilityKind) async throws {
        let site = try Site(over: kind)
        let shop = try await TeaShop.open(on: site.service, goal: 5)
        let guest = try await customer(1, on: site.service)
        let code = try await shop.code(on: site.service)
        let first = try await site.service.stamp(code, by: guest.under("k", on: site.service))
        _ = try await site.service.stamp(try await shop.code(on: site.service, stamps: 4), by: guest)
        try site.reopen()
        let again = try await site.service.stamp(code, by: guest.under("k", on: site.service))
        #expect(again.isReplay && again.facts == first.facts && again.cards == first.cards)
        await #expect(throws: ServiceError.idempotencyKeyReused) {
            try await site.service.stamp(code, by: guest.under("k", content: "other", on: site.service))
        }
    }

    @Test("A request that changed nothing keeps its key across a restart, for a day")
    func idleKeysSurviveARestart() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        _ = try await site.service.submit(.addFavorite(AddFavorite(campaign: shop.campaign)), by: guest)
        let first = try await site.service.submit(
            .addFavorite(AddFavorite(campaign: shop.campaign)), by: guest.under("favourite", on: site.service))
        _ = try await site.service.submit(.removeFavorite(RemoveFavorite(campaign: shop.campaign)), by: guest)
        site.clock.move(bySeconds: 3_600)
        try site.reopen()
        let head = site.service.log.head
        let again = try await site.service.submit(
            .addFavorite(AddFavorite(campaign: shop.campaign)), by: guest.under("favourite", on: site.service))
        #expect(again.isReplay && again.facts.isEmpty && again.position == first.position)
        await #expect(throws: ServiceError.idempotencyKeyReused) {
            try await site.service.submit(
                .addFavorite(AddFavorite(campaign: shop.campaign)), by: guest.under("favourite", content: "other", on: site.service))
        }
        #expect(site.service.log.head == head)
        site.clock.move(bySeconds: 82_800)
        try site.reopen()
        #expect(
            try await !site.service.submit(
                .addFavorite(AddFavorite(campaign: shop.campaign)), by: guest.under("favourite", on: site.service)
            ).isReplay)
    }

    /// The log has no trace of such a request, so the writer remembers its key for a limited time.
    @Test("A request that changed nothing keeps its idempotency key, and its repeat changes nothing", arguments: DurabilityKind.ofService)
    func noChange(over kind: DurabilityKind) async throws {
        let site = try Site(over: kind)
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let favourite = guest.under("favourite", on: site.service)
        _ = try await site.service.submit(.addFavorite(AddFavorite(campaign: shop.campaign)), by: guest)
        let first = try await site.service.submit(.addFavorite(AddFavorite(campaign: shop.campaign)), by: favourite)
        #expect(first.facts.isEmpty && !first.isReplay)
        _ = try await site.service.submit(.removeFavorite(RemoveFavorite(campaign: shop.campaign)), by: guest)
        let head = site.service.log.head
        let again = try await site.service.submit(.addFavorite(AddFavorite(campaign: shop.campaign)), by: favourite)
        #expect(again.isReplay && again.facts.isEmpty && again.position == first.position)
        await #expect(throws: ServiceError.idempotencyKeyReused) {
            try await site.service.submit(
                .removeFavorite(RemoveFavorite(campaign: shop.campaign)), by: guest.under("favourite", content: "other", on: site.service))
        }
        #expect(site.service.log.head == head)
        #expect(try site.service.isAnswered(favourite))
        // Another account may use the same idempotency key, because a key belongs to its account.
        let other = try await customer(2, on: site.service).under("favourite", on: site.service)
        #expect(try await !site.service.submit(.addFavorite(AddFavorite(campaign: shop.campaign)), by: other).facts.isEmpty)
    }

    /// No client retries for that long.
    @Test("The idempotency key of a request that changed nothing is forgotten after a day")
    func forgotten() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let favourite = guest.under("favourite", on: site.service)
        _ = try await site.service.submit(.removeFavorite(RemoveFavorite(campaign: shop.campaign)), by: favourite)
        site.clock.move(bySeconds: 86_399)
        #expect(try await site.service.submit(.removeFavorite(RemoveFavorite(campaign: shop.campaign)), by: favourite).isReplay)
        site.clock.move(bySeconds: 1)
        #expect(try await !site.service.submit(.addFavorite(AddFavorite(campaign: shop.campaign)), by: favourite).facts.isEmpty)
    }
}
