internal import LMDB

/// The key of a row: one to three numbers in big-endian order, so that keys in byte order are in numeric order.
///
/// Its bytes are stored inline, so that creating a key allocates no memory.
package struct RowKey: Sendable {
    private var storage = [40 of UInt8](repeating: 0)
    private let count: Int

    /// Creates a key of 16 bytes: an id.
    package init(_ id: UInt128) {
        count = 16
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: id, at: 0)
    }

    /// Creates a key of 24 bytes: an id, and a number by which the id's rows are ordered, such as a log position.
    package init(_ id: UInt128, position number: UInt64) {
        count = 24
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: id, at: 0)
        bytes.store(bigEndian: number, at: 16)
    }

    /// Creates a key of 32 bytes: a pair of ids.
    package init(_ first: UInt128, and second: UInt128) {
        count = 32
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: second, at: 16)
    }

    /// Creates a key of 40 bytes: a pair of ids, and a number by which the pair's rows are ordered, such as a quarter of an hour.
    package init(_ first: UInt128, and second: UInt128, position number: UInt64) {
        count = 40
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: second, at: 16)
        bytes.store(bigEndian: number, at: 32)
    }

    /// Creates a key of 40 bytes: an id, a number by which the id's rows are ordered, and a second id that orders rows with the same
    /// number.
    package init(_ first: UInt128, position number: UInt64, and second: UInt128) {
        count = 40
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: number, at: 16)
        bytes.store(bigEndian: second, at: 24)
    }

    /// The bytes of the key, as they are stored.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self) get { storage.span.extracting(first: count) }
    }
}

/// The description of one part of a key, with which a tool can show the part as readable text. The models define the parts that they use.
public struct KeyPart: Sendable, CustomStringConvertible {
    /// The part's name in tools and exports, such as `shop`.
    public let description: String
    /// The number of bytes of the part, 8 or 16. The part is a big-endian number.
    let bytes: Int
    /// Returns the text for the number in this part, such as `shop_01hv…`.
    private let text: @Sendable (UInt128) -> String

    package init(_ name: String, bytes: Int, text: @escaping @Sendable (UInt128) -> String) {
        description = name
        self.bytes = bytes
        self.text = text
    }

    /// The text of the part at `offset` of a key.
    func text(_ key: Span<UInt8>, at offset: Int) -> String {
        var number: UInt128 = 0
        for index in offset..<(offset + bytes) { number = number << 8 | UInt128(key[index]) }
        return text(number)
    }
}

/// Bytes as readable text.
enum RowText {
    /// The maximum number of bytes to show. If there are more bytes, the text ends with the number of all bytes.
    private static let bytesMax = 48

    static func hexadecimal(_ bytes: Span<UInt8>) -> String {
        var text = ""
        for index in 0..<min(bytes.count, bytesMax) {
            let digits = String(bytes[index], radix: 16)
            text += digits.count == 1 ? "0" + digits : digits
        }
        return bytes.count > bytesMax ? text + "… (\(bytes.count) bytes)" : text
    }
}
