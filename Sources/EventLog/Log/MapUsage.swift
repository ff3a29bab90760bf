package import LMDB

/// The maximum size of an environment's file, as configured by the operator.
public struct MapLimit: Sendable, Hashable {
    /// Bytes of address space. Nil means the default size or, if larger, the greatest size that a writer of the file has reserved.
    public var bytes: Int?
    /// The name of the setting for this limit, for errors and warnings; nil if there is no setting.
    public var setting: String?

    /// Creates a limit; without arguments, the default.
    public init(bytes: Int? = nil, setting: String? = nil) { (self.bytes, self.setting) = (bytes, setting) }

    /// Applies the limit to the storage layer's options.
    package func set(_ options: inout Environment.Options) { (options.mapSizeMax, options.mapSetting) = (bytes, setting) }
}

/// The share of an environment's reserved address space that its file uses.
///
/// The size of each map can be configured. The service's log and `/readyz` warn at 70 percent, and the error of a full map names the
/// setting. A program that opens a file without a setting reserves the default size, or the greatest that a writer of the file has reserved
/// if that is larger. Without a setting, a new generation of a read model also reserves at least as much as the current generation.
public struct MapUsage: Sendable, Hashable {
    /// Percentage of the limit at which the operator should raise the limit.
    public static let warningPercent = 70

    /// The environment's content: `log`, `keys`, or the name of a read model.
    public let name: String
    /// Bytes of the file up to its last used page. Free pages among them are reused before the file grows.
    public let usedBytes: Int
    /// Maximum bytes of the file. A commit that would need more fails.
    public let limitBytes: Int
    /// The name of the setting for the limit; nil if there is no setting.
    public let setting: String?

    /// The used percentage, rounded down.
    public var percent: Int { Int(Double(usedBytes) / Double(max(1, limitBytes)) * 100) }
    /// Whether usage has reached ``warningPercent``.
    public var isNearlyFull: Bool { percent >= Self.warningPercent }
    /// The remedy for a map that is nearly full.
    public var remedy: String {
        let limit = setting ?? "address space for it"
        return "Start again with a larger \(limit) before it is full; what is stored stays as it is."
    }

    /// Creates a usage from given numbers, for tests of code that reports usage.
    public init(name: String, usedBytes: Int, limitBytes: Int, setting: String? = nil) {
        (self.name, self.usedBytes, self.limitBytes, self.setting) = (name, usedBytes, limitBytes, setting)
    }

    /// The usage of an open environment, as of its last commit.
    package init(_ name: String, of environment: Environment) {
        let statistics = environment.statistics
        self.init(
            name: name, usedBytes: statistics.usedBytes, limitBytes: statistics.mapBytes, setting: environment.mapSetting)
    }
}

/// Finds the environments that have become nearly full since the last check, so that each causes one warning.
package struct MapLooks: Sendable {
    private var warned: Set<String> = []

    /// Creates an instance before the first check.
    package init() {}

    /// The maps that are nearly full now and were not nearly full at the last call.
    package mutating func look(at maps: [MapUsage]) -> [MapUsage] {
        let full = maps.filter(\.isNearlyFull)
        let news = full.filter { !warned.contains($0.name) }
        warned = Set(full.map(\.name))
        return news
    }
}

extension EventLog {
    /// The usage of the log's map.
    public var mapUsage: MapUsage { MapUsage("log", of: storage.environment) }
}

extension Environment {
    /// Opens a snapshot, and wraps an error of LMDB in an `EventLogError`.
    @_lifetime(borrow self)
    func readable() throws(EventLogError) -> Snapshot {
        do { return try snapshot() } catch { throw EventLogError(error) }
    }

    /// A copy of the value under a key; nil if there is none.
    func value(_ table: Table, _ key: [UInt8]) throws(EventLogError) -> [UInt8]? {
        do throws(LMDBError) {
            let snapshot = try snapshot()
            guard let value = try snapshot.get(table, key.span) else { return nil }
            var bytes: [UInt8] = []
            bytes.append(copying: value)
            return bytes
        } catch { throw EventLogError(error) }
    }

    /// Whether a table has no entries.
    func isEmpty(_ table: Table) throws(EventLogError) -> Bool {
        do throws(LMDBError) {
            let snapshot = try snapshot()
            return try snapshot.count(table) == 0
        } catch { throw EventLogError(error) }
    }
}

extension EventLog {
    /// A snapshot of the log's file that a process holds.
    public struct HeldSnapshot: Hashable, Sendable {
        /// The process id, as seen in the process's own PID namespace.
        public let process: Int32
        /// The commit that the snapshot shows.
        public let commit: Int
        /// The number of commits since ``commit``. While the snapshot is held, the pages that these commits freed cannot be reused, so the
        /// file grows.
        public let commitsBehind: Int

        /// Creates a description from given numbers, for tests of code that reports snapshots.
        public init(process: Int32, commit: Int, commitsBehind: Int) {
            (self.process, self.commit, self.commitsBehind) = (process, commit, commitsBehind)
        }
    }

    /// The live snapshots of all processes, from the oldest to the newest.
    public var heldSnapshots: [HeldSnapshot] {
        let readers = storage.environment.readers.sorted { $0.transaction < $1.transaction }
        let last = storage.environment.statistics.lastTransaction
        return readers.map {
            HeldSnapshot(process: $0.process, commit: $0.transaction, commitsBehind: max(0, last - $0.transaction))
        }
    }

    /// Releases the snapshots of killed processes. Commits also do this from time to time.
    ///
    /// - Returns: the number of released snapshots.
    @discardableResult
    public func clearDeadReaders() -> Int { storage.environment.clearDeadReaders() }

    /// The number of killed processes' snapshots released since the log was opened.
    public var deadReadersCleared: Int { storage.environment.deadReadersCleared }
}

/// Finds snapshots that are held for long, by regular checks.
package struct SnapshotLooks: Sendable {
    /// Checks between two reports of the same snapshot: an hour at one check per minute.
    static let looksBetweenReports = 60

    /// The snapshots that the last check found older than the newest commit, by process and commit, each with the number of checks directly
    /// before the last one that also found it.
    private var seen: [EventLog.HeldSnapshot: Int] = [:]

    /// Creates an instance before the first check.
    package init() {}

    /// Compares the current snapshots with those of the last call.
    ///
    /// - Returns: the snapshots to report: those that have been older than the newest commit at two calls in a row. Each is reported at the
    ///   second of these calls, and then once in ``looksBetweenReports`` calls.
    package mutating func look(at snapshots: [EventLog.HeldSnapshot]) -> [EventLog.HeldSnapshot] {
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
