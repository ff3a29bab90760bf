/// An entry of ``HashSource`` that an append has made: stored once, never changed.
public struct TreeEntry: Hashable, Sendable {
    /// The tile level: 0 for a leaf's own hash.
    public let level: Int
    /// Its place within the level, counted from 0.
    public let index: UInt64
    /// The root of the 256^level leaves from `index · 256^level` on.
    public let hash: NodeHash

    /// An entry.
    @inlinable
    public init(level: Int, index: UInt64, hash: NodeHash) {
        self.level = level
        self.index = index
        self.hash = hash
    }
}
