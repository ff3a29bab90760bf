package import LMDB

/// The maximum size of an environment's file, as configured by the operator.
public struct MapLimit: Sendable, Hashable {
    /// Bytes of address space. Nil means the larger of the default and the greatest size that a writer has reserved.
    public var bytes: Int?
    /// The setting's name, for errors and warnings.
    public var setting: String?

    public init(bytes: Int? = nil, setting: String? = nil) { (self.bytes, self.setting) = (bytes, setting) }

    /// Applies the limit to the storage layer's options.
    package func set(_ options: inout Environment.Options) { (options.mapSizeMax, options.mapSetting) = (bytes, setting) }
}

/// The share of an environment's reserved address space that its file uses.
public struct MapUsage: Sendable, Hashable {
    /// The percentage at which the operator should raise the limit.
    public static let warningPercent = 70

    /// The content: `log`, `keys`, or the name of a read model.
    public let name: String
    /// Bytes up to the last used page, with free pages that are reused before the file grows.
    public let usedBytes: Int
    /// Maximum bytes of the file. A commit that would need more fails.
    public let limitBytes: Int
    /// The limit's setting, if there is one.
    public let setting: String?

    /// Rounded down.
    public var percent: Int { Int(Double(usedBytes) / Double(max(1, limitBytes)) * 100) }
    public var isNearlyFull: Bool { percent >= Self.warningPercent }
    /// The remedy for a map that is nearly full.
    public var remedy: String {
        let limit = setting ?? "address space for it"
        return "Start again with a larger \(limit) before it is full; what is stored stays as it is."
    }

    /// For tests of code that reports usage.
    public init(name: String, usedBytes: Int, limitBytes: Int, setting: String? = nil) {
        (self.name, self.usedBytes, self.limitBytes, self.setting) = (name, usedBytes, limitBytes, setting)
    }

    /// As of the last commit.
    package init(_ name: String, of environment: Environment) {
        let statistics = environment.statistics
        self.init(name: name, usedBytes: statistics.usedBytes, limitBytes: statistics.mapBytes, setting: environment.mapSetting)
    }
}

/// Finds environments that have become nearly full, so that each causes one warning.
package struct MapLooks: Sendable {
    private var warned: Set<String> = []

    package init() {}

    /// The maps that are nearly full now and were not at the last call.
    package mutating func look(at maps: [MapUsage]) -> [MapUsage] {
        let full = maps.filter(\.isNearlyFull)
        let news = full.filter { !warned.contains($0.name) }
        warned = Set(full.map(\.name))
        return news
    }
}

extension EventLog {
    public var mapUsage: MapUsage { MapUsage("log", of: storage.environment) }
}

extension Environment {
    @_lifetime(borrow self)
    func readable() throws(EventLogError) -> Snapshot {
        do { return try snapshot() } catch { throw EventLogError(error) }
    }

    func value(_ table: Table, _ key: [UInt8]) throws(EventLogError) -> [UInt8]? {
        do throws(LMDBError) {
            let snapshot = try snapshot()
            guard let value = try snapshot.get(table, key.span) else { return nil }
            var bytes: [UInt8] = []
            bytes.append(copying: value)
            return bytes
        } catch { throw EventLogError(error) }
    }

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
        /// The id in the process's own PID namespace.
        public let process: Int32
        /// The commit that the snapshot shows.
        public let commit: Int
        /// The commits since ``commit``, whose freed pages cannot be reused, so the file grows.
        public let commitsBehind: Int

        /// For tests of code that reports snapshots.
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

    /// Releases the snapshots of killed processes, as commits do from time to time; returns their number.
    @discardableResult
    public func clearDeadReaders() -> Int { storage.environment.clearDeadReaders() }

    /// Since the log was opened.
    public var deadReadersCleared: Int { storage.environment.deadReadersCleared }
}

/// Finds snapshots that are held for long, by regular checks.
package struct SnapshotLooks: Sendable {
    /// An hour at one check per minute.
    static let looksBetweenReports = 60

    /// Snapshots that the last check found older than the newest commit, with the number of preceding checks that did so too.
    private var seen: [EventLog.HeldSnapshot: Int] = [:]

    package init() {}

    /// Returns the snapshots to report: older than the newest commit at two calls in a row, and then once in ``looksBetweenReports`` calls.
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
