import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// A rule book that is independent of the code that decides commands. A history of real decisions breaks no rule, and each altered history
/// breaks a rule.
@Suite struct RuleBookTests {
    private func violations(_ facts: [Fact], mark: (Fact) -> RequestMark? = { _ in nil }) -> [String] {
        var book = RuleBook()
        return facts.flatMap { fact in book.apply(fact, mark: mark(fact)).map(\.what) }
    }

    @Test("Histories of the service's own decisions break no rule")
    func realDecisions() {
        for round in 0..<4 {
            #expect(violations(VerifiedLog.history("rules \(round)", 6_000).facts) == [])
        }
    }

    /// Codes, cards, redemptions, reviews and accounts are unique.
    @Test("A repeated event breaks a rule, unless it adjusts a card")
    func noEventMayComeTwice() {
        let facts = VerifiedLog.history("twice", 1_200).facts
        for index in stride(from: 0, to: facts.count, by: 7) {
            // Adjustments are exempt, because an operator may adjust a card twice by the same number.
            if case .cardAdjusted = facts[index].event { continue }
            var repeated = facts
            repeated.insert(facts[index], at: index + 1)
            #expect(!violations(repeated).isEmpty, "\(FactText.line(facts[index])) comes twice")
        }
    }

    @Test("A stamp without the event that issued its code breaks a rule")
    func missingEvent() {
        let facts = VerifiedLog.history("missing", 1_200).facts
        for index in facts.indices where index < facts.count - 300 {
            guard case .codeIssued(let issued) = facts[index].event else { continue }
            let isUsed = facts.contains { if case .cardStamped(let stamp) = $0.event { stamp.code == issued.code } else { false } }
            guard isUsed else { continue }
            var without = facts
            without.remove(at: index)
            #expect(!violations(without).isEmpty, "\(FactText.line(facts[index])) is missing")
        }
    }

    @Test("An event other than a registration breaks a rule if its actor is somebody else")
    func otherActor() {
        let facts = VerifiedLog.history("actor", 1_200).facts
        for index in stride(from: 0, to: facts.count, by: 11) {
            if case .accountRegistered = facts[index].event { continue }
            var changed = facts
            changed[index] = Fact(
                position: facts[index].position, time: facts[index].time, actor: AccountID(4_711), event: facts[index].event)
            #expect(!violations(changed).isEmpty, "\(FactText.line(facts[index])) by somebody else")
        }
    }

    @Test("A stamp with an expired code breaks a rule")
    func expiredCode() {
        let facts = VerifiedLog.history("expired", 600).facts
        for (index, fact) in facts.enumerated() {
            guard case .cardStamped = fact.event else { continue }
            var late = facts
            late[index] = Fact(position: fact.position, time: fact.time.advanced(bySeconds: 86_400), actor: fact.actor, event: fact.event)
            #expect(violations(late).contains { $0.contains("expired") })
            return
        }
        Issue.record("the history has no stamp")
    }

    @Test("A request is answered once, and all its events have one digest")
    func answeredOnce() {
        let facts = Array(VerifiedLog.history("requests", 300).facts)
        let own: (Fact) -> RequestMark? = { RequestMark(request: UInt128($0.position), digest: 1) }
        #expect(violations(facts, mark: own) == [])
        let again = violations(facts) { RequestMark(request: $0.position == 200 ? 100 : UInt128($0.position), digest: 1) }
        #expect(again.count == 1 && again[0].contains("earlier"))
        let halves = violations(facts) { RequestMark(request: 1 + UInt128($0.position) / 2, digest: UInt128($0.position)) }
        #expect(halves.contains { $0.contains("two digests") })
    }

    @Test("A value is inserted into the set only once for each kind")
    func insertedOnce() {
        var once = OnceSet()
        let values = (0..<20_000 as Range<UInt128>).map { $0 << 64 }
        let fresh = values.filter { value in once.insert(value, kind: 1) && once.insert(value, kind: 2) }
        #expect(fresh == values)
        let again = values.filter { value in once.insert(value, kind: 1) }
        #expect(again == [])
    }

    @Test("Codes that expired days ago are forgotten")
    func forgottenCodes() {
        var (book, now, found) = (RuleBook(), OfficeRulesTests.start, [String]())
        var position: UInt64 = 0
        func take(_ event: LoyaltyEvent, by actor: AccountID) {
            position += 1
            found += book.apply(Fact(position: position, time: now, actor: actor, event: event), mark: nil).map(\.what)
        }
        for step in OfficeRulesTests.opening { take(step.event, by: step.actor) }
        for number in (1...12_000 as ClosedRange<UInt128>) {
            now = now.advanced(bySeconds: 300)
            let issued = CodeIssued(
                code: .init(number), campaign: OfficeRulesTests.campaign, shop: OfficeRulesTests.shop, secret: Secret(number), attempt: 0,
                stamps: 1, expiresAt: now.advanced(bySeconds: 600))
            take(.codeIssued(issued), by: OfficeRulesTests.owner)
        }
        #expect(found == [] && book.codes.count < 5_000, "\(book.codes.count) codes of six weeks")
    }

    @Test("A favourite is a known campaign, added and removed once and only by its own account")
    func favourites() throws {
        let facts = VerifiedLog.history("favourites", 300).facts
        let account = try #require(
            facts.compactMap { if case .accountRegistered(let event) = $0.event { event.account } else { nil } }.last)
        let campaign = try #require(
            facts.compactMap { if case .campaignPublished(let event) = $0.event { event.campaign } else { nil } }.first)
        func violations(_ events: [LoyaltyEvent], by actor: AccountID) -> Int {
            let more = events.enumerated().map { index, event in
                Fact(position: UInt64(facts.count + index + 1), time: facts[facts.count - 1].time, actor: actor, event: event)
            }
            return self.violations(facts + more).count
        }
        let added = LoyaltyEvent.favoriteAdded(FavoriteAdded(account: account, campaign: campaign))
        let removed = LoyaltyEvent.favoriteRemoved(FavoriteRemoved(account: account, campaign: campaign))
        #expect(violations([added, removed, added], by: account) == 0)
        #expect(violations([added, added], by: account) == 1)
        #expect(violations([removed], by: account) == 1)
        #expect(violations([added, removed, removed], by: account) == 1)
        #expect(violations([added], by: AccountID(4_711)) == 1)
        let unknown = LoyaltyEvent.favoriteAdded(FavoriteAdded(account: account, campaign: CampaignID(4_711)))
        #expect(violations([unknown], by: account) == 1)
    }
}
