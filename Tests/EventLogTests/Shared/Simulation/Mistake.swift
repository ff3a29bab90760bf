@testable import EventLog

/// A mistake in a ``SimulatedNode`` or in its shared log, which the simulation must find.
enum Mistake: CaseIterable, Sendable {
    /// The compare of the head is left out: a replaced writer's append counts as stored.
    case comparesNothing
    /// An append without an answer counts as stored.
    case trustsUnknownOutcomes
    case commitsLocallyFirst
    case doesNotConfirm
    /// The head is one that an old leader remembers.
    case readsOldHeads
    /// Entries are removed once the writer has them.
    case trimsForOneDisk
    /// A repeated request is decided like a new one.
    case forgetsRequests

    func durability(_ commit: SharedCommit) -> any BatchDurability { MistakenCommit(commit: commit, mistake: self) }

    private struct MistakenCommit: BatchDurability {
        let commit: SharedCommit
        let mistake: Mistake
        var isShared: Bool { true }

        func makeDurable(_ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void) throws(EventLogError) {
            guard mistake == .commitsLocallyFirst else { return try commit.makeDurable(batch, commitLocally: commitLocally) }
            try commitLocally(batch)
            try commit.makeDurable(batch) { _ in }
        }

        func confirm() throws(EventLogError) { try commit.confirm() }
    }
}
