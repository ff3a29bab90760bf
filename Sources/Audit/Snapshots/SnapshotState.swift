public import EventLog

/// One snapshot, as it is listed and checked.
public struct SnapshotState: Hashable, Sendable {
    /// Its folder's name.
    public let name: String
    /// The last event that it reflects.
    public let position: Position
    /// In all tables; nil where not even that can be read.
    public let rows: Int?
    /// Of its files together.
    public let bytes: Int
    /// Why it is not used, in words that follow "it"; nil for one that is.
    public let fault: String?
}
