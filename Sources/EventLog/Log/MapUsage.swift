package import LMDB

/// The largest size that the file of an environment may grow to, as an operator sets it.
public struct MapLimit: Sendable, Hashable {
    /// Bytes of address space; nil for the default, or what the file was last written with where that is larger.
    public var bytes: Int?
    /// The setting's name, for errors and warnings; nil if there is no setting.
    public var setting: String?

    /// The default.
    public init(bytes: Int? = nil, setting: String? = nil) { (self.bytes, self.setting) = (bytes, setting) }

    /// Sets it in the storage layer's options.
    package func set(_ options: inout Environment.Options) { (options.mapSizeMax, options.mapSetting) = (bytes, setting) }
}

/// How much of the address space that is reserved for an environment its file has used.
///
/// Each map's size is a setting. The log and `/readyz` warn at 70 percent, and the error of a full map names the setting. A program that
/// opens a file without a setting reserves what its writer has reserved, and a new generation of a model gets what the one in use has.
public struct MapUsage: Sendable, Hashable {
    /// Percent of the limit from which on an operator should raise it.
    public static let warningPercent = 70

    /// The environment's content: `log`, `keys`, or the name of a read model.
    public let name: String
    /// Bytes of the file up to its last used page. Pages within that are free again are used before the file grows.
    public let usedBytes: Int
    /// Bytes that the file may grow to. A commit that would need more fails.
    public let limitBytes: Int
    /// The name of the setting; nil if there is none.
    public let setting: String?

    /// How much of it is used, rounded down.
    public var percent: Int { Int(Double(usedBytes) / Double(max(1, limitBytes)) * 100) }
    /// Whether ``warningPercent`` of the limit are reached.
    public var isNearlyFull: Bool { percent >= Self.warningPercent }
    /// The remedy for a map that is nearly full.
    public var remedy: String {
        let limit = setting ?? "address space for it"
        return "Start again with a larger \(limit) before it is full; what is stored stays as it is."
    }

    /// Makes a usage from given numbers, without an open environment, for tests of code that reports usage.
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

/// Finds the environments that have become nearly full since the last look, so that each is warned of once.
package struct MapLooks: Sendable {
    private var warned: Set<String> = []

    /// Before the first look.
    package init() {}

    /// The maps that are nearly full and were not at the last call.
    package mutating func look(at maps: [MapUsage]) -> [MapUsage] {
        let full = maps.filter(\.isNearlyFull)
        let news = full.filter { !warned.contains($0.name) }
        warned = Set(full.map(\.name))
        return news
    }
}

extension EventLog {
    /// How much of the log's map is used.
    public var mapUsage: MapUsage { MapUsage("log", of: storage.environment) }
}

extension Environment {
    /// The environment as of its last commit, with this layer's error.
    @_lifetime(borrow self)
    func readable() throws(EventLogError) -> Snapshot {
        do { return try snapshot() } catch { throw EventLogError(error) }
    }

    /// A copy of one entry.
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
    /// A snapshot of the log's file that some process holds.
    public struct HeldSnapshot: Hashable, Sendable {
        /// The process, by the id that it has in its own PID namespace.
        public let process: Int32
        /// The commit that it shows.
        public let commit: Int
        /// How many commits there were since: each of them takes new pages of the file, as long as the snapshot is held.
        public let commitsBehind: Int

        /// Makes a snapshot's description from given numbers, without a log, for tests of code that reports snapshots.
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
package struct SnapshotLooks: Sendable {
    /// Looks between two reports of the same snapshot: an hour where one comes a minute.
    static let looksBetweenReports = 60

    /// By process and commit, at how many looks in a row a snapshot was there and behind.
    private var seen: [EventLog.HeldSnapshot: Int] = [:]

    /// Nothing seen yet.
    package init() {}

    /// Compares the present snapshots with those of the last call.
    ///
    /// - Returns: the snapshots to report: those that were behind at the last call as well, each at intervals.
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
