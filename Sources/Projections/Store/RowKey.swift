internal import LMDB

/// The key of a row: one to three big-endian numbers, so that byte order is numeric order. Stored inline, without allocation.
package struct RowKey: Sendable {
    private var storage = [40 of UInt8](repeating: 0)
    private let count: Int

    /// 16 bytes: an id.
    package init(_ id: UInt128) {
        count = 16
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: id, at: 0)
    }

    /// 24 bytes: an id, and a number such as a log position.
    package init(_ id: UInt128, position number: UInt64) {
        count = 24
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: id, at: 0)
        bytes.store(bigEndian: number, at: 16)
    }

    /// 32 bytes: a pair of ids.
    package init(_ first: UInt128, and second: UInt128) {
        count = 32
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: second, at: 16)
    }

    /// 40 bytes: a pair of ids, and a number such as a quarter of an hour.
    package init(_ first: UInt128, and second: UInt128, position number: UInt64) {
        count = 40
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: second, at: 16)
        bytes.store(bigEndian: number, at: 32)
    }

    /// 40 bytes: an id, a number, and a second id.
    package init(_ first: UInt128, position number: UInt64, and second: UInt128) {
        count = 40
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: number, at: 16)
        bytes.store(bigEndian: second, at: 24)
    }

    /// The stored bytes of the key.
    package var bytes: Span<UInt8> { @_lifetime(borrow self) get { storage.span.extracting(first: count) } }
}

/// One part of a key, shown by tools as readable text.
public struct KeyPart: Sendable, CustomStringConvertible {
    public let description: String
    /// 8 or 16.
    let bytes: Int
    private let text: @Sendable (UInt128) -> String

    package init(_ name: String, bytes: Int, text: @escaping @Sendable (UInt128) -> String) {
        description = name
        (self.bytes, self.text) = (bytes, text)
    }

    func text(_ key: Span<UInt8>, at offset: Int) -> String {
        var number: UInt128 = 0
        for index in offset..<(offset + bytes) { number = number << 8 | UInt128(key[index]) }
        return text(number)
    }
}

enum RowText {
    /// Bytes to show; a longer text ends with the number of all.
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
