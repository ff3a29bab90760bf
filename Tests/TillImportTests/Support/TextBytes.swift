@testable import TillImport

/// A text as a source of bytes, in pieces of a given size: where the pieces are cut must not matter.
struct TextBytes: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let piece: Int

    init(_ text: String, piece: Int = 7) {
        self.init(Array(text.utf8), piece: piece)
    }

    init(_ bytes: [UInt8], piece: Int = 7) {
        rest = bytes[...]
        self.piece = piece
    }

    mutating func next() -> [UInt8] {
        defer { rest = rest.dropFirst(piece) }
        return Array(rest.prefix(piece))
    }
}
