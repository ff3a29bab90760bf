internal import LMDB

extension EventLog {
    /// A snapshot of the log's file that some process holds.
    public struct HeldSnapshot: Hashable, Sendable {
        /// The process, by the id that it has in its own PID namespace.
        public let process: Int32
        /// The commit that it shows.
        public let commit: Int
        /// How many commits there were since: each of them takes new pages of the file, as long as the snapshot is held.
        public let commitsBehind: Int

        /// For whoever judges snapshots without a log.
        public init(process: Int32, commit: Int, commitsBehind: Int) {
            (self.process, self.commit, self.commitsBehind) = (process, commit, commitsBehind)
        }
    }

    /// The live snapshots of all processes, the oldest first.
    public var heldSnapshots: [HeldSnapshot] {
        let readers = storage.environment.readers.sorted { $0.transaction < $1.transaction }
        let last = storage.environment.statistics.lastTransaction
        return readers.map {
            HeldSnapshot(process: $0.process, commit: $0.transaction, commitsBehind: max(0, last - $0.transaction))
        }
    }

    /// Gives back what the snapshots of killed processes hold. Commits do so now and then by themselves.
    ///
    /// - Returns: how many there were.
    @discardableResult
    public func clearDeadReaders() -> Int { storage.environment.clearDeadReaders() }

    /// Snapshots of killed processes that were given back since the log was opened.
    public var deadReadersCleared: Int { storage.environment.deadReadersCleared }
}

/// Finds the snapshots that stay, by looks at a regular distance.
public struct SnapshotLooks: Sendable {
    /// Looks between two reports of the same snapshot: an hour where one comes a minute.
    static let looksBetweenReports = 60

    /// By process and commit, at how many looks in a row a snapshot was there and behind.
    private var seen: [EventLog.HeldSnapshot: Int] = [:]

    /// Nothing seen yet.
    public init() {}

    /// Takes in a look.
    ///
    /// - Returns: the snapshots to report: those that were behind at the look before as well, each once in a while.
    public mutating func look(at snapshots: [EventLog.HeldSnapshot]) -> [EventLog.HeldSnapshot] {
        var now: [EventLog.HeldSnapshot: Int] = [:]
        var reported: [EventLog.HeldSnapshot] = []
        for snapshot in snapshots where snapshot.commitsBehind > 0 {
            let key = EventLog.HeldSnapshot(process: snapshot.process, commit: snapshot.commit, commitsBehind: 0)
            let count = seen[key].map { $0 + 1 } ?? 0
            now[key] = count
            if count > 0, count % Self.looksBetweenReports == 1 { reported.append(snapshot) }
        }
        seen = now
        return reported
    }
}
