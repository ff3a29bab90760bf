import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// An idempotency key has one effect and one permanent answer.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct IdempotencyTests {
    @Test func aRepeatedRequestGetsTheSameAnswerAndAddsNothing() async throws {
        let site = try Site()
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

    @Test func aReplayShowsTheCardInItsStateAtThatTime() async throws {
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

    @Test func aCodeThatFillsSeveralCardsIsReplayedCompletely() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, goal: 3)
        let guest = try await customer(1, on: site.service).under("many", on: site.service)
        let code = try await shop.code(on: site.service, stamps: 10)
        let first = try await site.service.stamp(code, by: guest)
        #expect(first.cards.map(\.stamps) == [3, 3, 3, 1])
        let again = try await site.service.stamp(code, by: guest)
        #expect(again.facts == first.facts && again.cards == first.cards)
    }

    @Test func aRepeatedIssueReturnsTheFirstCode() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let owner = shop.owner.under("issue", on: site.service)
        let first = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: owner)
        let again = try await site.service.issueCode(of: shop.campaign, stamps: 1, validFor: 60, by: owner)
        #expect(again.facts == first.facts)
        #expect(site.service.stampCode(of: try issuing(again)) == site.service.stampCode(of: try issuing(first)))
    }

    @Test func anotherRequestUnderTheKeyIsRefused() async throws {
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

    @Test func aRejectedRequestIsDecidedAgain() async throws {
        let site = try Site()
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

    @Test func concurrentRepeatsHaveOneEffectAndEqualAnswers() async throws {
        let site = try Site()
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

    @Test func theAnswerSurvivesARestart() async throws {
        let site = try Site()
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
        _ = try await site.service.addFavorite(shop.campaign, by: guest)
        let first = try await site.service.addFavorite(shop.campaign, by: guest.under("favourite", on: site.service))
        _ = try await site.service.removeFavorite(shop.campaign, by: guest)
        site.clock.move(bySeconds: 3_600)
        try site.reopen()
        let head = site.service.log.head
        let again = try await site.service.addFavorite(shop.campaign, by: guest.under("favourite", on: site.service))
        #expect(again.isReplay && again.facts.isEmpty && again.position == first.position)
        await #expect(throws: ServiceError.idempotencyKeyReused) {
            try await site.service.addFavorite(shop.campaign, by: guest.under("favourite", content: "other", on: site.service))
        }
        #expect(site.service.log.head == head)
        site.clock.move(bySeconds: 82_800)
        try site.reopen()
        #expect(try await !site.service.addFavorite(shop.campaign, by: guest.under("favourite", on: site.service)).isReplay)
    }

    /// The log contains no trace of a request that changed nothing. So the writer remembers the request's idempotency key, for a limited
    /// time.
    @Test func aRequestThatChangedNothingKeepsItsKey() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let favourite = guest.under("favourite", on: site.service)
        _ = try await site.service.addFavorite(shop.campaign, by: guest)
        let first = try await site.service.addFavorite(shop.campaign, by: favourite)
        #expect(first.facts.isEmpty && !first.isReplay)
        _ = try await site.service.removeFavorite(shop.campaign, by: guest)
        let head = site.service.log.head
        let again = try await site.service.addFavorite(shop.campaign, by: favourite)
        #expect(again.isReplay && again.facts.isEmpty && again.position == first.position)
        await #expect(throws: ServiceError.idempotencyKeyReused) {
            try await site.service.removeFavorite(shop.campaign, by: guest.under("favourite", content: "other", on: site.service))
        }
        #expect(site.service.log.head == head)
        #expect(try site.service.isAnswered(favourite))
        // Another account may use the same idempotency key, because a key belongs to its account.
        let other = try await customer(2, on: site.service).under("favourite", on: site.service)
        #expect(try await !site.service.addFavorite(shop.campaign, by: other).facts.isEmpty)
    }

    /// The writer forgets the key after a day, which is longer than any client retries.
    @Test func aRequestThatChangedNothingIsForgottenAfterADay() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service)
        let guest = try await customer(1, on: site.service)
        let favourite = guest.under("favourite", on: site.service)
        _ = try await site.service.removeFavorite(shop.campaign, by: favourite)
        site.clock.move(bySeconds: 86_399)
        #expect(try await site.service.removeFavorite(shop.campaign, by: favourite).isReplay)
        site.clock.move(bySeconds: 1)
        #expect(try await !site.service.addFavorite(shop.campaign, by: favourite).facts.isEmpty)
    }
}
