public import EventLog
import ReadModels

/// The largest sizes that the files of a data folder may grow to, with the names of the settings that say so.
public struct MapLimits: Sendable {
    /// The log's limit. The log holds every event for ever.
    public var log = MapLimit(setting: "--log-map-gib (GREENTEA_LOG_MAP_GIB)")
    /// The limit of the key store, which holds the accounts' and shops' data keys.
    public var keys = MapLimit(setting: "--keys-map-gib (GREENTEA_KEYS_MAP_GIB)")
    /// The limit of each read model.
    public var model = MapLimit(setting: "--model-map-gib (GREENTEA_MODEL_MAP_GIB)")

    /// The defaults.
    public init() {}
}

extension GreenTea {
    /// How much is used of the map of the log, of the keys and of each read model.
    public var maps: [MapUsage] { [log.mapUsage] + [keyStore.mapUsage].compactMap(\.self) + models.status.compactMap(\.map) }
}
