import EventLog
import Foundation
import Histories
import LMDB
import Loyalty
import LoyaltyCodec
import Search
import Seeds
import Testing

@testable import Audit
@testable import Projections
@testable import ReadModels

/// Rebuilding with a check against a replay, with and without a running server.
@Suite(.timeLimit(.minutes(15))) struct RebuildTests {
    private let facts: [Fact]

    init() {
        var history = RandomHistory(random: SeededRandom.announced("rebuild"))
        history.grow(to: 500)
        facts = history.facts
    }

    private static let ended = ReadModelError(.storage, model: "", "ended by a test")

    private func beside() async throws -> Beside {
        let beside = try Beside(try TestData.with(facts))
        #expect(await beside.models.reached(beside.log.head, timeoutSeconds: 600))
        return beside
    }

    @Test("All models are rebuilt beside a running server, which switches to the new generations")
    func besideServer() async throws {
        let beside = try await beside()
        for (model, result) in zip(ReadModels.models, await beside.rebuild()) {
            let outcome = try result.get()
            #expect(outcome.model == model.name && outcome.switcher == .server && outcome.position == beside.log.head)
            #expect(outcome.previous == "v\(model.schemaVersion)-g1" && outcome.generation == "v\(model.schemaVersion)-g2")
        }
        #expect(beside.models.status.allSatisfy { $0.generation.hasSuffix("-g2") && $0.failure == nil })
        try beside.close()
        try beside.expectDigests()
    }

    @Test("Without a server the tool itself switches to the rebuilt models, with or without a check", arguments: [true, false])
    func withoutServer(_ checks: Bool) throws {
        let sample = try AuditSample("alone")
        let log = try sample.data.log(.readOnly)
        var options = RebuildOptions()
        (options.checks, options.keepsOld, options.memoryBytes) = (checks, false, RebuildOptions.memoryBytesMin)
        let rebuild = Rebuild(DataFolder(sample.data.path), log: log, options: options)
        #expect(!Rebuild.isServed(DataFolder(sample.data.path)))
        for result in rebuild.all(.build, of: ReadModels.models) {
            let outcome = try result.get()
            #expect(outcome.switcher == .tool && outcome.previous == nil && outcome.position == log.head)
            #expect(ModelFolder(models: sample.data.models, model: outcome.model).generations.map(\.text) == [outcome.generation])
        }
        let digests = StateDigest(of: try Replay(of: log)).models
        #expect(try ReadModels.models.map { try ModelDigest(stored: $0, in: sample.data.models) } == digests)
    }

    @Test("A rebuild reports a wrong row of a half-built generation and discards that generation")
    func wrongDigest() async throws {
        let beside = try await beside()
        let folder = beside.folder(CardProgress.name)
        let before = try #require(folder.current)
        let first = await beside.rebuild(.build, [CardProgress.self]) { (_, step) throws(ReadModelError) in
            if case .checking = step { throw Self.ended }
        }
        #expect(throws: ReadModelError.self) { try first[0].get() }
        let half = try #require(folder.halfBuilt)
        try Self.addRow(to: folder.path(of: half))
        let second = await beside.rebuild(.build, [CardProgress.self])
        let error = #expect(throws: ReadModelError.self) { try second[0].get() }
        #expect(error?.code == .mismatch && error?.detail.contains("extraRow") == true, "\(String(describing: error))")
        #expect(folder.current == before && !folder.generations.contains(half) && folder.halfBuilt == nil)
        #expect(try await beside.rebuild(.build, [CardProgress.self])[0].get().resumedAt == .start)
        try beside.close()
    }

    private static func addRow(to directory: String) throws {
        let environment = try Environment(directory: directory, access: .readWrite)
        let table = try environment.table("cards", .bytes)
        var transaction = try environment.write()
        try transaction.put(table, RowKey(1).bytes, RowKey(1).bytes)
        try transaction.commit()
    }

    @Test("An event that a model refuses fails that model's rebuild and no rebuild of models that skip the event")
    func poisonEvent() async throws {
        let beside = try await beside()
        let stray = CardStamped(card: CardID(1), code: CodeID(1), campaign: CampaignID(1), shop: ShopID(1), holder: AccountID(1), stamps: 1)
        let event = try LoyaltyCodec.encode(.cardStamped(stray), by: AccountID(1), at: Instant(microseconds: 1), mark: nil)
        let position = try beside.append(event)
        let before = try #require(beside.folder(CardProgress.name).current)
        let results = await beside.rebuild()
        // The stamp refers to an unknown card. Replays of the models that track cards refuse this event.
        let concerned = [CardProgress.name, Statistics.name, Journeys.name, ActivityPlaces.name, Customers.name]
        for (model, result) in zip(ReadModels.models, results) where !concerned.contains(model.name) {
            #expect(try result.get().position == position)
        }
        let error = #expect(throws: ReadModelError.self) { try results[0].get() }
        #expect(error?.code == .eventRefused && error?.position == position && error?.eventType == "CardStamped")
        #expect(error?.description.contains("update the program") == true)
        #expect(beside.folder(CardProgress.name).current == before)
        #expect(beside.models.runners[0].position < position && beside.models.runners[0].failure?.position == position)
        try beside.close()
    }

    @Test("A rebuild can be rolled back to the previous generation, and fails where there is none")
    func rolledBack() async throws {
        let beside = try await beside()
        let missing = await beside.rebuild(.rollBack, [ShopRatings.self])
        #expect(throws: ReadModelError.self) { try missing[0].get() }
        let first = beside.folder(ShopRatings.name).current
        let second = try await beside.rebuild(.build, [ShopRatings.self])[0].get()
        let back = try await beside.rebuild(.rollBack, [ShopRatings.self])[0].get()
        #expect(back.generation == first?.text && back.previous == second.generation && back.digest == second.digest)
        let rebuild = Rebuild(DataFolder(beside.data.path), log: beside.log)
        #expect(try rebuild.forgetOld(of: ShopRatings.name) == [second.generation])
        #expect(beside.folder(ShopRatings.name).generations.map(\.text) == [back.generation])
        try beside.close()
    }
}
