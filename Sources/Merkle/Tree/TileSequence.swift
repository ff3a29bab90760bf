/// The tiles of hashes that a growing tree gains, from level 0 up, each level from left to right.
///
/// Each level that grew has its new full tiles and then at most one partial tile. The caller publishes each tile of level 0 together with
/// its ``Tile/entries``.
public struct TileSequence: Sequence, IteratorProtocol, Sendable {
    private let oldSize: UInt64
    private let newSize: UInt64
    private var level = 0
    private var index: UInt64

    /// All tiles of a tree of `size` leaves.
    public init(of size: UInt64) { self.init(from: 0, to: size) }

    /// The tiles to publish after growth from `oldSize` to `newSize` leaves; empty without growth.
    public init(from oldSize: UInt64, to newSize: UInt64) {
        (self.oldSize, self.newSize) = (oldSize, newSize)
        index = oldSize / UInt64(MerkleLimits.tileWidth)
    }

    /// The next tile.
    public mutating func next() -> Tile? {
        while true {
            let (before, now) = (entries(oldSize), entries(newSize))
            // If a level has not grown, no higher level has.
            guard now > before else { return nil }
            let start = index * UInt64(MerkleLimits.tileWidth)
            if start < now {
                defer { index += 1 }
                let width = Swift.min(now - start, UInt64(MerkleLimits.tileWidth))
                return Tile(checked: .hashes(level: level), index: index, width: Int(width))
            }
            level += 1
            index = entries(oldSize) / UInt64(MerkleLimits.tileWidth)
        }
    }

    private func entries(_ size: UInt64) -> UInt64 { TileLevels.entries(level: level, size: size) }
}

extension HashSource where Self: ~Copyable, Self: ~Escapable {
    /// The published bytes of a tile of hashes, 32 per hash. First check with ``Tile/isWithin(size:)`` that a checkpoint's tree has the
    /// tile.
    ///
    /// - Throws: any error of the source; ``MerkleError`` for a tile of entries, or if hashes are missing.
    public func bytes(of tile: Tile) throws -> [UInt8] {
        guard case .hashes(let level) = tile.kind else { throw MerkleError(.outOfRange, "\(tile) holds entries, not hashes") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tile.width * NodeHash.byteCount)
        for hash in try counted(level: level, in: tile.range) { hash.append(to: &bytes) }
        return bytes
    }
}

extension Tile {
    /// Decodes the bytes of this tile, which must have ``width`` hashes.
    ///
    /// - Throws: ``MerkleError`` `.malformedTile` for any other number of bytes.
    public func hashes(in bytes: [UInt8]) throws(MerkleError) -> [NodeHash] {
        guard bytes.count == width * NodeHash.byteCount else {
            throw MerkleError(.malformedTile, "\(bytes.count) bytes in a tile of width \(width)")
        }
        return (0..<width).compactMap { place in
            NodeHash(bytes.span.extracting(place * NodeHash.byteCount..<(place + 1) * NodeHash.byteCount))
        }
    }
}
