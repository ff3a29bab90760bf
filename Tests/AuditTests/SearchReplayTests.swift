import EventLog
import Histories
import Loyalty
import Seeds
import Testing

@testable import Audit
@testable import Projections
@testable import ReadModels

/// The stored model of saved searches, and the notices of their alerts, equal their replay.
@Suite struct SearchReplayTests {
    /// A customer's searches with alerts, campaigns between them, mutes and erasures.
    private static func facts() -> [Fact] {
        var facts: [Fact] = []
        func tell(_ event: LoyaltyEvent, _ hour: Int64, by actor: AccountID = AccountID(1)) {
            let time = Instant(microseconds: 1_700_000_000_000_000 + hour * 3_600_000_000)
            facts.append(Fact(position: UInt64(facts.count) + 1, time: time, actor: actor, event: event))
        }
        for account in 1...3 as ClosedRange<UInt128> {
            let id = AccountID(account)
            tell(.accountRegistered(.init(account: id, phone: Secret(account), sealedPhone: Sealed([1]))), 0, by: id)
        }
        func save(_ search: UInt128, of account: UInt128, alerts: Bool = true) {
            let terms = Sealed(Array(repeating: UInt8(search), count: 40))
            tell(.searchSaved(.init(search: SearchID(search), account: AccountID(account), terms: terms, alerts: alerts)), 1)
        }
        for search in 1...9 as ClosedRange<UInt128> { save(search, of: 1 + search % 3, alerts: search != 4) }
        let edited = Sealed(Array(repeating: 99, count: 50))
        tell(.searchEdited(.init(search: SearchID(4), account: AccountID(2), terms: edited, alerts: true)), 2)
        tell(.searchEdited(.init(search: SearchID(5), account: AccountID(3), terms: edited, alerts: false)), 3)
        tell(.searchSeen(.init(search: SearchID(1), account: AccountID(2))), 4)
        tell(.searchRemoved(.init(search: SearchID(7), account: AccountID(2))), 5)
        for (search, hours) in [(1, 30), (2, 31), (1, 60)] as [(UInt128, Int64)] {
            tell(
                .searchAlerted(
                    .init(
                        search: SearchID(search), account: AccountID(1 + search % 3), notice: NoticeID(search << 8 | UInt128(hours)),
                        dueAt: Instant(microseconds: 1_700_000_000_000_000), through: SearchedThrough(10 + UInt64(hours)),
                        campaigns: FoundCampaigns([CampaignID(5), CampaignID(6)]), hasMore: search == 2)), hours, by: .system)
        }
        tell(.noticeRead(.init(notice: NoticeID(1 << 8 | 30), account: AccountID(2))), 61, by: AccountID(2))
        tell(.accountErased(.init(account: AccountID(3))), 62, by: AccountID(3))
        return facts
    }

    @Test("Model and replay have the same rows, whatever the batches")
    func sameRows() throws {
        let data = try TestData.with(Self.facts()[...])
        let log = try data.log()
        for changes in [1, 4, 100_000] {
            var options = UpdateOptions.building
            options.changesPerBatch = changes
            for model in [Searches.self, Notices.self] as [any ReadModel.Type] { try Self.compare(model, data, log, options) }
        }
    }

    private static func compare<Model: ReadModel>(_ model: Model.Type, _ data: TestData, _ log: EventLog, _ options: UpdateOptions) throws {
        try AuditSample.build(model, data, log, options)
        let verdict = try Comparison(models: data.models, log: log).verdict(of: model)
        guard case .equal(_, let rows) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(rows > 5)
    }

    @Test("Random histories with searches leave the same rows in model and replay", arguments: 0..<3)
    func randomHistories(_ round: Int) throws {
        let random = SeededRandom(seed: SeededRandom.announced("search replay \(round)").seed &+ UInt64(round))
        var history = RandomHistory(random: random, ages: true, searches: true)
        history.grow(to: 1_500)
        #expect(history.facts.contains { if case .searchAlerted = $0.event { true } else { false } })
        let data = try TestData.with(history.facts[...])
        let log = try data.log()
        for model in [Searches.self, Notices.self] as [any ReadModel.Type] { try Self.compare(model, data, log, .building) }
    }
}
