import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Patience
import Seeds
import Testing

@testable import Audit
@testable import Projections
@testable import ReadModels

/// A rebuild switches to another generation while the auditor compares the previous one.
@Suite struct ReplacedGenerationTests {
    /// Starts a server whose models are at the head of the log.
    private func beside() throws -> Beside {
        var history = RandomHistory(random: SeededRandom.announced("replaced"))
        history.grow(to: 400)
        let beside = try Beside(try TestData.with(history.facts))
        try eventually("the models are at the head") {
            try #require(beside.models.status.allSatisfy { $0.failure == nil })
            return beside.models.position >= beside.log.head
        }
        return beside
    }

    /// Otherwise `greentea-rebuild --rollback` could not open the old generation.
    @Test("After a switch the auditor releases the old generation and compares the new one")
    func releasedGeneration() throws {
        let beside = try beside()
        let (folder, head) = (beside.folder(CardProgress.name), beside.log.head)
        let first = try #require(folder.current)
        let rebuild = Rebuild(DataFolder(beside.data.path), log: beside.log)
        var (built, opened) = (Result<RebuildOutcome, ReadModelError>?.none, Result<Void, ReadModelError>?.none)
        let verdict = try Comparison(live: beside.models, log: beside.log).verdict(of: CardProgress.self) {
            (position) throws(AuditError) in
            // The comparison calls this closure while it compares rows, with a snapshot of the model open.
            guard position == head else { return }
            if built == nil {
                built = rebuild.all(.build, of: [CardProgress.self])[0]
            } else if opened == nil {
                opened = Self.opened(first, in: folder)
            }
        }
        let outcome = try #require(built).get()
        #expect(folder.current?.text == outcome.generation && folder.previous == first)
        try #require(opened).get()
        guard case .equal(let position, let rows) = verdict else { throw TravelFailure() }
        #expect(position == head && rows == outcome.rows)
        try beside.close()
    }

    private static func opened(_ generation: Generation, in folder: ModelFolder) -> Result<Void, ReadModelError> {
        do throws(ReadModelError) {
            _ = try OpenModel.resume(with: generation, in: folder, patienceSeconds: 5)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Folding the log takes most of the time of an audit.
    @Test("The auditor holds no generation open while it folds the log")
    func nothingHeld() throws {
        let beside = try beside()
        let rebuild = Rebuild(DataFolder(beside.data.path), log: beside.log)
        var back: Result<RebuildOutcome, ReadModelError>?
        let verdict = try Comparison(live: beside.models, log: beside.log).verdict(of: Notices.self) { (position) throws(AuditError) in
            guard position == .start, back == nil else { return }
            _ = rebuild.all(.build, of: [Notices.self])
            back = rebuild.all(.rollBack, of: [Notices.self])[0]
        }
        #expect(try #require(back).get().generation == "v\(Notices.schemaVersion)-g1")
        guard case .equal = verdict else { throw TravelFailure() }
        try beside.close()
    }
}
