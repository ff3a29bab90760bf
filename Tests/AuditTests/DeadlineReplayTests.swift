import Audit
import EventLog
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Testing

@testable import Projections
@testable import ReadModels

/// The stored model of deadlines equals its replay. The tests use cards whose last day of redemption is before, on or after the day of a
/// reminder, and offers of shops.
@Suite struct DeadlineReplayTests {
    private static let day: Int64 = 86_400
    private static let start = Instant(microseconds: 1_700_000_000_000_000)

    private static func after(_ days: Int64) -> Instant { start.advanced(bySeconds: days * day) }

    /// Opens a card that ends after 20 days. Its reminders are then due after 6 and 18 days, 14 days and 2 days before its end.
    private static func opened(_ card: UInt128, redeemUntil: Int64?) -> LoyaltyEvent {
        .cardOpened(
            CardOpened(
                card: CardID(card), campaign: CampaignID(1), shop: ShopID(1), holder: AccountID(card % 3 + 1), goal: 3, reward: "",
                terms: CardTerms(expiresAt: after(20), redeemUntil: redeemUntil.map(after))))
    }

    private static func reminded(_ card: UInt128) -> LoyaltyEvent {
        .cardReminded(
            CardReminded(
                card: CardID(card), campaign: CampaignID(1), shop: ShopID(1), holder: AccountID(card % 3 + 1), notice: NoticeID(card),
                daysLeft: 14, dueAt: after(6)))
    }

    private static func opened(_ card: UInt128, at shop: UInt128, home: UInt128? = nil) -> LoyaltyEvent {
        .cardOpened(
            CardOpened(
                card: CardID(card), campaign: CampaignID(1), shop: ShopID(shop), home: home.map { ShopID($0) },
                holder: AccountID(card % 3 + 1), goal: 3, reward: "",
                terms: CardTerms(expiresAt: after(20), redeemUntil: nil)))
    }

    private static func closed(_ shop: UInt128, until days: Int64) -> LoyaltyEvent {
        .shopClosed(ShopClosed(shop: ShopID(shop), redeemUntil: after(days), erasesContact: false))
    }

    @Test("Model and replay leave out reminders due after a closed shop's last day, for cards opened before or after the closing")
    func closedShops() throws {
        var facts: [Fact] = []
        func add(_ event: LoyaltyEvent, _ days: Int64, by actor: AccountID = AccountID(1)) {
            facts.append(Fact(position: UInt64(facts.count + 1), time: Self.after(days), actor: actor, event: event))
        }
        // At the first shop, the second card is redeemed and the redemption is reversed later. The third card is thrown away.
        for card in 1...3 as ClosedRange<UInt128> { add(Self.opened(card, at: 1), 0) }
        add(Self.opened(4, at: 2), 0)
        add(Self.opened(5, at: 3), 0)
        let names = (RedemptionID(2), CardID(2), CampaignID(1), ShopID(1), AccountID(3))
        add(.cardRedeemed(.init(redemption: names.0, card: names.1, campaign: names.2, shop: names.3, holder: names.4)), 1)
        add(Self.closed(1, until: 6), 1)
        add(Self.closed(2, until: 18), 1)
        let before = facts.count
        add(
            .redemptionReversed(
                .init(redemption: names.0, card: names.1, campaign: names.2, shop: names.3, holder: names.4, reason: "x")), 2)
        add(.cardDiscarded(.init(card: CardID(3), campaign: CampaignID(1), shop: ShopID(1), holder: AccountID(1))), 2)
        add(Self.opened(6, at: 1), 2)
        add(Self.closed(1, until: 6), 3, by: AccountID(2))
        try expectDue([6, 6, 20, 20], after: before, of: facts)
        try expectDue([6, 6, 20, 20, 20], after: facts.count, of: facts)
    }

    @Test("The closing of a campaign's own shop ends reminders, also for cards opened at its other shops")
    func sharedCampaigns() throws {
        var facts: [Fact] = []
        func add(_ event: LoyaltyEvent, _ days: Int64) {
            facts.append(Fact(position: UInt64(facts.count + 1), time: Self.after(days), actor: AccountID(1), event: event))
        }
        add(Self.opened(1, at: 2, home: 1), 0)
        add(Self.opened(2, at: 1, home: 2), 0)
        add(Self.closed(2, until: 3), 1)
        add(Self.opened(3, at: 2, home: 1), 2)
        try expectDue([6, 6, 20], after: facts.count, of: facts)
        add(Self.closed(1, until: 10), 2)
        try expectDue([6, 6, 20], after: facts.count, of: facts)
        add(Self.closed(1, until: 4), 2)
        try expectDue([20, 20, 20], after: facts.count, of: facts)
    }

    @Test("Model and replay have an entry for each offer of a shop until the offer is answered, withdrawn, replaced or recorded as lapsed")
    func offeredShops() throws {
        var facts: [Fact] = []
        func add(_ event: LoyaltyEvent, _ days: Int64, by actor: AccountID = AccountID(1)) {
            facts.append(Fact(position: UInt64(facts.count + 1), time: Self.after(days), actor: actor, event: event))
        }
        func offer(_ invitation: UInt128, of shop: UInt128, until days: Int64) -> LoyaltyEvent {
            .transferOffered(
                TransferOffered(
                    invitation: InvitationID(invitation), shop: ShopID(shop), account: AccountID(9), expiresAt: Self.after(days)))
        }
        func ended(_ invitation: UInt128, of shop: UInt128) -> LoyaltyEvent {
            .invitationEnded(InvitationEnded(invitation: InvitationID(invitation), shop: ShopID(shop), account: AccountID(9)))
        }
        func lapsed(_ invitation: UInt128, of shop: UInt128, at days: Int64) -> LoyaltyEvent {
            .transferLapsed(
                TransferLapsed(invitation: InvitationID(invitation), shop: ShopID(shop), account: AccountID(9), dueAt: Self.after(days)))
        }
        for shop in 1...4 as ClosedRange<UInt128> { add(offer(shop, of: shop, until: 6 + Int64(shop)), 0) }
        // This invitation is an offer of work.
        add(ended(99, of: 1), 1)
        try expectDue([7, 8, 9, 10], after: facts.count, of: facts)
        add(ended(2, of: 2), 1)
        add(
            .shopTransferred(
                ShopTransferred(invitation: InvitationID(3), shop: ShopID(3), account: AccountID(9), formerOwner: AccountID(1))),
            2, by: AccountID(9))
        add(lapsed(1, of: 1, at: 7), 7, by: .system)
        try expectDue([10], after: facts.count, of: facts)
        add(offer(5, of: 1, until: 15), 8)
        // An older version of the service recorded no lapse before the next offer.
        add(offer(6, of: 4, until: 17), 10)
        add(ended(4, of: 4), 10)
        try expectDue([15, 17], after: facts.count, of: facts)
        add(lapsed(5, of: 1, at: 15), 20, by: .system)
        try expectDue([17], after: facts.count, of: facts)
    }

    /// Builds the model over the first facts of a history, and compares it with its replay.
    private func expectDue(_ days: [Int64], after count: Int, of facts: [Fact]) throws {
        let data = try TestData.with(facts.prefix(count))
        let log = try data.log()
        try AuditSample.build(Deadlines.self, data, log)
        let verdict = try Comparison(models: data.models, log: log).verdict(of: Deadlines.self)
        guard case .equal(_, let rows) = verdict, rows > 0 else {
            Issue.record("\(verdict)")
            return
        }
        #expect(try Self.dueDays(ModelFolder(models: data.models, model: Deadlines.name)) == days)
    }

    @Test("Model and replay leave out a reminder if the card can no longer be redeemed when the reminder is due")
    func redeemedNoMore() throws {
        var facts: [Fact] = []
        func add(_ event: LoyaltyEvent, _ days: Int64, by actor: AccountID) {
            facts.append(Fact(position: UInt64(facts.count + 1), time: Self.after(days), actor: actor, event: event))
        }
        let lastDays: [Int64?] = [nil, 3, 6, 7, 18, 19, 30]
        for (number, last) in lastDays.enumerated() { add(Self.opened(UInt128(number + 1), redeemUntil: last), 0, by: AccountID(1)) }
        for (number, last) in lastDays.enumerated() where (last ?? 30) > 6 { add(Self.reminded(UInt128(number + 1)), 6, by: .system) }
        for (count, due) in [(lastDays.count, [6, 20, 20, 6, 6, 6, 6]), (facts.count, [18, 20, 20, 20, 20, 18, 18] as [Int64])] {
            try expectDue(due.sorted(), after: count, of: facts)
        }
    }

    /// Returns the due times in the model, in days since the start.
    private static func dueDays(_ folder: ModelFolder) throws -> [Int64] {
        let environment = try Environment(directory: folder.path(of: try #require(folder.current)), access: .readWrite)
        let model = try Deadlines(try ModelStore(model: Deadlines.name, environment: environment))
        return try model.due(through: after(40), limit: 100).map { ($0.dueAt.microseconds - start.microseconds) / 1_000_000 / day }
    }
}
