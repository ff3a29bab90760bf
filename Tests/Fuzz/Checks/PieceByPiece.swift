/// Returns bytes in small pieces, so that every position can be a border between two reads.
struct PieceByPiece {
    private var rest: ArraySlice<UInt8>
    private let pieceBytes: Int

    init(_ bytes: [UInt8], pieceBytes: Int) {
        rest = bytes[...]
        self.pieceBytes = max(1, pieceBytes)
    }

    /// Returns at most `limit` bytes; none at the end.
    mutating func next(atMost limit: Int = .max) -> [UInt8] {
        let piece = Array(rest.prefix(min(limit, pieceBytes)))
        rest = rest.dropFirst(piece.count)
        return piece
    }
}
