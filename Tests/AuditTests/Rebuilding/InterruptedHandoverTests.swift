import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Seeds
import Synchronization
import Testing

@testable import Audit
@testable import Projections
@testable import ReadModels

/// A server that stops after it opened an offered generation leaves that generation intact, but without a checksum (`FileSeal`).
@Suite(.timeLimit(.minutes(15))) struct InterruptedHandoverTests {
    /// Counts offers of a generation. At each of the first `count` offers, it opens the offered generation and closes it, like a server
    /// that stops during the handover.
    private final class Interruptions: Sendable {
        private let folder: ModelFolder
        private let count: Int
        private let task: Rebuild.Task
        let offers = Atomic(0)

        init(_ folder: ModelFolder, _ count: Int, of task: Rebuild.Task = .build) {
            (self.folder, self.count, self.task) = (folder, count, task)
        }

        func note(_ step: BuildStep) throws(ReadModelError) {
            guard step == .offered, offers.add(1, ordering: .relaxed).newValue <= count else { return }
            guard let offered = task == .build ? folder.halfBuilt : folder.previous else { return }
            _ = try OpenModel.resume(with: offered, in: folder)
        }
    }

    private func beside(_ name: String) async throws -> Beside {
        var history = RandomHistory(random: SeededRandom.announced(name))
        history.grow(to: 300)
        let beside = try Beside(try TestData.with(history.facts))
        #expect(await beside.models.reached(beside.log.head, timeoutSeconds: 600))
        return beside
    }

    @Test("A generation whose handover was interrupted is completed and offered again", arguments: [1, 2])
    func offeredAgain(_ count: Int) async throws {
        let beside = try await beside("interrupted")
        let interruptions = Interruptions(beside.folder(CardProgress.name), count)
        let result = await beside.rebuild(.build, [CardProgress.self]) { (_, step) throws(ReadModelError) in
            try interruptions.note(step)
        }
        let outcome = try result[0].get()
        #expect(outcome.switcher == .server && outcome.position == beside.log.head && outcome.resumedAt == .start)
        #expect(outcome.applied > 0 && interruptions.offers.load(ordering: .relaxed) == count + 1)
        #expect(beside.models.status[0].generation == outcome.generation && beside.folder(CardProgress.name).halfBuilt == nil)
        try beside.close()
        try beside.expectDigests()
    }

    @Test("A rollback whose handover was interrupted offers the previous generation again")
    func interruptedRollback() async throws {
        let beside = try await beside("interrupted-back")
        let first = try #require(beside.folder(ShopRatings.name).current)
        _ = try await beside.rebuild(.build, [ShopRatings.self])[0].get()
        let interruptions = Interruptions(beside.folder(ShopRatings.name), 1, of: .rollBack)
        let result = await beside.rebuild(.rollBack, [ShopRatings.self]) { (_, step) throws(ReadModelError) in
            try interruptions.note(step)
        }
        #expect(try result[0].get().generation == first.text && interruptions.offers.load(ordering: .relaxed) == 2)
        try beside.close()
        try beside.expectDigests()
    }

    @Test("A rebuild gives up after the last allowed offer, and the old generation stays in use")
    func lastOffer() async throws {
        let beside = try await beside("interrupted-always")
        let folder = beside.folder(Notices.name)
        let before = folder.current
        let interruptions = Interruptions(folder, .max)
        let result = await beside.rebuild(.build, [Notices.self]) { (_, step) throws(ReadModelError) in try interruptions.note(step) }
        let error = #expect(throws: ReadModelError.self) { try result[0].get() }
        #expect(error?.code == .refused && error?.detail.contains("sealed") == true, "\(String(describing: error))")
        #expect(interruptions.offers.load(ordering: .relaxed) == Rebuild.offersMax)
        #expect(folder.current == before && folder.halfBuilt != nil && !HandoverFiles(in: folder).isAsked)
        try beside.close()
    }

    @Test("Without a server the tool completes a generation without a seal again and switches to it")
    func withoutServer() throws {
        let sample = try AuditSample("interrupted-alone")
        let log = try sample.data.log(.readOnly)
        let folder = ModelFolder(models: sample.data.models, model: CardProgress.name)
        let interruptions = Interruptions(folder, 1)
        let rebuild = Rebuild(DataFolder(sample.data.path), log: log)
        let results = rebuild.all(.build, of: [CardProgress.self]) { (_, step) throws(ReadModelError) in try interruptions.note(step) }
        let outcome = try results[0].get()
        #expect(outcome.switcher == .tool && interruptions.offers.load(ordering: .relaxed) == 2)
        #expect(folder.current?.text == outcome.generation)
        #expect(try ModelDigest(stored: CardProgress.self, in: sample.data.models).hex == outcome.digest)
    }
}
