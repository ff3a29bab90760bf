extension HashSource where Self: ~Copyable, Self: ~Escapable {
    /// The bytes of a tile of hashes, as they are published: 32 a hash.
    ///
    /// The caller checks first that the tree has the tile (``Tile/isWithin(size:)``) at a size that a checkpoint was made of.
    ///
    /// - Throws: what the source throws; ``MerkleError`` for a tile of entries, or when hashes are missing.
    public func bytes(of tile: Tile) throws -> [UInt8] {
        guard case .hashes(let level) = tile.kind else {
            throw MerkleError(.outOfRange, "\(tile) holds entries, not hashes")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(tile.width * NodeHash.byteCount)
        for hash in try counted(level: level, in: tile.range) { hash.append(to: &bytes) }
        return bytes
    }
}

extension Tile {
    /// The hashes in the bytes of a tile of this width.
    ///
    /// - Throws: ``MerkleError/Code-swift.struct/malformedTile`` for another number of bytes.
    public func hashes(in bytes: [UInt8]) throws(MerkleError) -> [NodeHash] {
        guard bytes.count == width * NodeHash.byteCount else {
            throw MerkleError(.malformedTile, "\(bytes.count) bytes in a tile of width \(width)")
        }
        return (0..<width).compactMap { place in
            NodeHash(bytes.span.extracting(place * NodeHash.byteCount..<(place + 1) * NodeHash.byteCount))
        }
    }
}
