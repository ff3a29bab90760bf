import Audit
import EventLog
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Testing

@testable import Projections
@testable import ReadModels

/// The stored model of deadlines equals its replay for cards whose last day of redemption is before, on or after the day of a reminder.
@Suite struct DeadlineReplayTests {
    private static let day: Int64 = 86_400
    private static let start = Instant(microseconds: 1_700_000_000_000_000)

    private static func after(_ days: Int64) -> Instant { start.advanced(bySeconds: days * day) }

    /// Opens a card that ends after 20 days, so that its reminders are due after 6 and 18 days.
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

    @Test("Both leave out reminders of cards that are redeemed no more by then")
    func redeemedNoMore() throws {
        var facts: [Fact] = []
        func add(_ event: LoyaltyEvent, _ days: Int64, by actor: AccountID) {
            facts.append(Fact(position: UInt64(facts.count + 1), time: Self.after(days), actor: actor, event: event))
        }
        let lastDays: [Int64?] = [nil, 3, 6, 7, 18, 19, 30]
        for (number, last) in lastDays.enumerated() { add(Self.opened(UInt128(number + 1), redeemUntil: last), 0, by: AccountID(1)) }
        for (number, last) in lastDays.enumerated() where (last ?? 30) > 6 { add(Self.reminded(UInt128(number + 1)), 6, by: .system) }
        for (count, due) in [(lastDays.count, [6, 20, 20, 6, 6, 6, 6]), (facts.count, [18, 20, 20, 20, 20, 18, 18] as [Int64])] {
            let data = try TestData.with(facts.prefix(count))
            let log = try data.log()
            try AuditSample.build(Deadlines.self, data, log)
            let verdict = try Comparison(models: data.models, log: log).verdict(of: Deadlines.self)
            guard case .equal(_, let rows) = verdict, rows > 0 else {
                Issue.record("\(verdict)")
                continue
            }
            let folder = ModelFolder(models: data.models, model: Deadlines.name)
            #expect(try Self.dueDays(folder) == due.sorted())
        }
    }

    /// Returns the due times in the model, in days since the start.
    private static func dueDays(_ folder: ModelFolder) throws -> [Int64] {
        let environment = try Environment(directory: folder.path(of: try #require(folder.current)), access: .readWrite)
        let model = try Deadlines(try ModelStore(model: Deadlines.name, environment: environment))
        return try model.due(through: after(40), limit: 100).map { ($0.dueAt.microseconds - start.microseconds) / 1_000_000 / day }
    }
}
