package import LMDB

/// The largest size that the file of an environment may grow to, as an operator sets it.
public struct MapLimit: Sendable, Hashable {
    /// Bytes of address space; nil for the default, or what the file was last written with where that is larger.
    public var bytes: Int?
    /// The operator's name for it, for errors and warnings; nil where it is no setting.
    public var setting: String?

    /// The default.
    public init(bytes: Int? = nil, setting: String? = nil) { (self.bytes, self.setting) = (bytes, setting) }

    /// Sets it in the storage layer's options.
    package func set(_ options: inout Environment.Options) { (options.mapSizeMax, options.mapSetting) = (bytes, setting) }
}

/// How much of the address space that is reserved for an environment its file has used.
public struct MapUsage: Sendable, Hashable {
    /// Percent of the limit from which on an operator should raise it.
    public static let warningPercent = 70

    /// What the environment holds: `log`, `keys`, or the name of a read model.
    public let name: String
    /// Bytes of the file up to its last used page. Pages within that are free again are used before the file grows.
    public let usedBytes: Int
    /// Bytes that the file may grow to. A commit that would need more fails.
    public let limitBytes: Int
    /// The operator's name for the limit; nil where it is no setting.
    public let setting: String?

    /// How much of it is used, rounded down.
    public var percent: Int { Int(Double(usedBytes) / Double(max(1, limitBytes)) * 100) }
    /// Whether ``warningPercent`` of the limit are reached.
    public var isNearlyFull: Bool { percent >= Self.warningPercent }
    /// What to do about one that is nearly full.
    public var remedy: String {
        let limit = setting ?? "address space for it"
        return "Start again with a larger \(limit) before it is full; what is stored stays as it is."
    }

    /// For whoever judges usage without an environment.
    public init(name: String, usedBytes: Int, limitBytes: Int, setting: String? = nil) {
        (self.name, self.usedBytes, self.limitBytes, self.setting) = (name, usedBytes, limitBytes, setting)
    }

    /// Of an open environment, as of its last commit.
    package init(_ name: String, of environment: Environment) {
        let statistics = environment.statistics
        self.init(
            name: name, usedBytes: statistics.usedBytes, limitBytes: statistics.mapBytes, setting: environment.mapSetting)
    }
}

/// Finds the environments that have become nearly full since the last look, so that each is warned of once.
public struct MapLooks: Sendable {
    private var warned: Set<String> = []

    /// Before the first look.
    public init() {}

    /// Those that are nearly full and were not at the look before.
    public mutating func look(at maps: [MapUsage]) -> [MapUsage] {
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
