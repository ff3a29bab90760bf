/// The bytes of a tile of entries: each record after its length as a big-endian `uint16` (C2SP tlog-tiles).
///
/// Bundles contain the records, so only the operator may read them; tiles of hashes are public.
public enum EntryBundle {
    private static let lengthBytes = 2

    /// Appends a record to a bundle.
    ///
    /// - Throws: ``MerkleError`` `.tooLarge` for more than ``MerkleLimits/entryBytesMax`` bytes, with the bundle unchanged.
    public static func append(_ record: Span<UInt8>, to bundle: inout [UInt8]) throws(MerkleError) {
        guard record.count <= MerkleLimits.entryBytesMax else {
            throw MerkleError(.tooLarge, "an entry of \(record.count) bytes, at most \(MerkleLimits.entryBytesMax)")
        }
        bundle.append(UInt8(record.count >> 8))
        bundle.append(UInt8(record.count & 255))
        bundle.append(addingCapacity: record.count) { output in
            for index in record.indices { output.append(record[index]) }
        }
    }

    /// Appends a record given as an array.
    public static func append(_ record: [UInt8], to bundle: inout [UInt8]) throws(MerkleError) {
        try append(record.span, to: &bundle)
    }

    /// The records of a bundle, as slices of its bytes.
    ///
    /// - Throws: ``MerkleError`` `.malformedTile` unless there are exactly `width` records.
    public static func records(in bundle: [UInt8], width: Int) throws(MerkleError) -> [ArraySlice<UInt8>] {
        var records: [ArraySlice<UInt8>] = []
        var rest = bundle[...]
        while !rest.isEmpty, records.count < width {
            let length = rest.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= lengthBytes + length else {
                throw MerkleError(.malformedTile, "entry \(records.count) of the bundle is cut off")
            }
            records.append(rest.dropFirst(lengthBytes).prefix(length))
            rest = rest.dropFirst(lengthBytes + length)
        }
        guard rest.isEmpty, records.count == width else {
            throw MerkleError(.malformedTile, "\(records.count) entries and \(rest.count) bytes in a bundle of width \(width)")
        }
        return records
    }
}
