import Audit
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// The digest depends on the state alone, not on the folder or on the way in which the state was built.
@Suite struct DigestTests {
    private func digest(_ data: TestData, _ bound: ReplayBound = .head) throws -> StateDigest {
        StateDigest(of: try Replay(of: try data.log(.readOnly), until: bound))
    }

    @Test("A log's digest stays the same, also in a copy of the folder and without derived data")
    func sameDigest() throws {
        let sample = try AuditSample("digest")
        let first = try digest(sample.data)
        #expect(first.events == UInt64(sample.history.facts.count))
        #expect(first.hex.count == 64)
        #expect(try digest(sample.data) == first)
        let copy = try sample.data.copy()
        #expect(try digest(copy) == first)
        try FileManager.default.removeItem(atPath: copy.derived)
        #expect(try digest(copy) == first)
    }

    @Test("The stored models have the digests of a replay of the log")
    func storedModels() throws {
        let sample = try AuditSample("stored")
        let digests = try digest(sample.data).models
        #expect(digests.map(\.model) == ReadModels.names)
        #expect(digests == (try ReadModels.models.map { try stored($0, in: sample.data) }))
    }

    private func stored<Model: Projection>(_ model: Model.Type, in data: TestData) throws -> ModelDigest {
        try ModelDigest(stored: model, in: data.models)
    }

    /// By their times, the reversal and the second redemption lie in a quarter of an hour before the card was opened.
    @Test("Stored and replayed statistics agree if a redemption is repeated after a fast clock is corrected")
    func correctedClock() throws {
        let (holder, owner, shop, campaign, card) = (AccountID(20), AccountID(10), ShopID(1), CampaignID(5), CardID(1))
        var facts: [Fact] = []
        func tell(_ event: LoyaltyEvent, by actor: AccountID, at hour: Int64) {
            facts.append(
                Fact(position: UInt64(facts.count) + 1, time: Instant(microseconds: hour * 3_600_000_000), actor: actor, event: event))
        }
        func redeem(_ id: UInt128, at hour: Int64) {
            let (redemption, expiresAt) = (RedemptionID(id), Instant(microseconds: hour * 3_600_000_000 + 300_000_000))
            tell(
                .redemptionRequested(
                    RedemptionRequested(
                        redemption: redemption, card: card, campaign: campaign, shop: shop, holder: holder, secret: Secret(id), attempt: 0,
                        expiresAt: expiresAt)), by: holder, at: hour)
            tell(
                .cardRedeemed(CardRedeemed(redemption: redemption, card: card, campaign: campaign, shop: shop, holder: holder)), by: owner,
                at: hour)
        }
        let (late, early): (Int64, Int64) = (500_024, 500_000)
        tell(
            .cardOpened(CardOpened(card: card, campaign: campaign, shop: shop, holder: holder, goal: 1, reward: "tea")), by: holder,
            at: late)
        tell(
            .cardStamped(CardStamped(card: card, code: CodeID(7), campaign: campaign, shop: shop, holder: holder, stamps: 1)), by: holder,
            at: late)
        redeem(1, at: late)
        tell(
            .redemptionReversed(
                RedemptionReversed(
                    redemption: RedemptionID(1), card: card, campaign: campaign, shop: shop, holder: holder, reason: "wrong card")),
            by: owner, at: early)
        redeem(2, at: early)
        let data = try TestData.with(facts[...])
        let log = try data.log()
        try AuditSample.build(Statistics.self, data, log)
        let replayed = StateDigest(of: try Replay(of: log)).models
        let expected = try #require(replayed.first { $0.model == Statistics.name })
        #expect(try stored(Statistics.self, in: data) == expected)
    }

    @Test("The digest of a model does not depend on the batches in which the model was built", arguments: [1, 13, 400])
    func batchSizes(_ events: Int) throws {
        let sample = try AuditSample("batches", count: 300)
        let log = try sample.data.log()
        let options = UpdateOptions(eventsPerBatch: events, changesPerBatch: 3, cachedMax: 5)
        for model in ReadModels.models { try AuditSample.build(model, sample.data, log, options) }
        let expected = StateDigest(of: try Replay(of: log)).models
        #expect(try ReadModels.models.map { try stored($0, in: sample.data) } == expected)
    }

    @Test("The digest changes with each event of a type that a model reads, and with no other event")
    func relevantEvents() throws {
        let sample = try AuditSample("changes", count: 200)
        var seen: Set<String> = []
        // These histories offer no shop, so an `InvitationEnded` ends an offer of work, which changes no model.
        let types = ReadModels.models.reduce(into: Set<EventType>()) { $0.formUnion($1.eventTypes) }.subtracting([.invitationEnded])
        let log = try sample.data.log(.readOnly)
        for position in 1...UInt64(200) {
            let hex = StateDigest(of: try Replay(of: log, until: .position(Position(position)))).hex
            let type = try #require(try log.event(at: Position(position))).event.type
            #expect(seen.insert(hex).inserted == (types.contains(type) || position == 1))
        }
    }

    /// The recorded digest may be replaced only together with a model's schema version. `GREENTEA_RECORD=1` records it again.
    @Test("The digest of a fixed history is the recorded one")
    func isWhatItAlwaysWas() throws {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_121), takesBack: false)
        history.grow(to: 400)
        let digest = try digest(try TestData.with(history.facts.prefix(400)))
        if ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1" { try Data("\(digest.hex)\n".utf8).write(to: Self.golden) }
        #expect(try String(contentsOf: Self.golden, encoding: .utf8) == digest.hex + "\n")
    }

    private static let golden = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures/digest.hex")

    @Test("The empty log has a digest, and its models have no rows")
    func emptyLog() throws {
        let data = try TestData.with([])
        let digest = try digest(data)
        #expect(digest.position == .start)
        #expect(digest.models.allSatisfy { $0.rows == 0 })
    }
}
