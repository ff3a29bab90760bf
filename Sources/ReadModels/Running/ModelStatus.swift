public import EventLog

/// Where a read model stands, for `/readyz`, metrics and tools.
public struct ModelStatus: Sendable {
    /// The model's name.
    public let name: String
    /// The last event that readers see.
    public let position: Position
    /// Events of the log that it has not looked at yet.
    public let lag: UInt64
    /// Nil as long as it goes on; else why it stopped.
    public let failure: ReadModelError?
    /// Why it was built from the first event on at this start; nil where it went on from where it was.
    public let built: BuildReason?
    /// The folder's name: `v1-g3`.
    public let generation: String
    /// Why a generation of the program's own schema version could not be built beside the older one that is served; nil where that is
    /// under way, done, or not needed.
    public let renewalFailure: ReadModelError?
    /// How much of its map is used; nil for a model that LMDB does not keep.
    public var map: MapUsage?
}
