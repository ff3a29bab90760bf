@testable import TillImport

/// A text as a byte source in pieces of a given size. The result must not depend on where the pieces end.
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
