internal import LMDB

/// The key of a row: one to three numbers, most significant byte first, so that byte order is number order.
///
/// It lives on the stack: making one allocates nothing.
package struct RowKey: Sendable {
    private var storage = [40 of UInt8](repeating: 0)
    private let count: Int

    /// 16 bytes: one thing.
    package init(_ id: UInt128) {
        count = 16
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: id, at: 0)
    }

    /// 24 bytes: a place in the order of one thing.
    package init(_ id: UInt128, position number: UInt64) {
        count = 24
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: id, at: 0)
        bytes.store(bigEndian: number, at: 16)
    }

    /// 32 bytes: a pair of things.
    package init(_ first: UInt128, and second: UInt128) {
        count = 32
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: second, at: 16)
    }

    /// 40 bytes: a place in the order of a pair of things.
    package init(_ first: UInt128, and second: UInt128, position number: UInt64) {
        count = 40
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: second, at: 16)
        bytes.store(bigEndian: number, at: 32)
    }

    /// 40 bytes: one thing of another, at a place in the order of that.
    package init(_ first: UInt128, position number: UInt64, and second: UInt128) {
        count = 40
        var bytes = storage.mutableSpan
        bytes.store(bigEndian: first, at: 0)
        bytes.store(bigEndian: number, at: 16)
        bytes.store(bigEndian: second, at: 24)
    }

    /// The key as it is stored.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self) get { storage.span.extracting(first: count) }
    }
}

/// One part of a key, so that a tool can show it as readable text. The models name the parts that they use.
public struct KeyPart: Sendable, CustomStringConvertible {
    /// The part's name in tools and exports: `shop`.
    public let description: String
    /// Its bytes in the key, most significant first: 8 or 16.
    let bytes: Int
    /// The text of its number: `shop_01hv…`.
    private let text: @Sendable (UInt128) -> String

    package init(_ name: String, bytes: Int, text: @escaping @Sendable (UInt128) -> String) {
        description = name
        self.bytes = bytes
        self.text = text
    }

    /// The text of the part that begins at `offset` of a key.
    func text(_ key: Span<UInt8>, at offset: Int) -> String {
        var number: UInt128 = 0
        for index in offset..<(offset + bytes) { number = number << 8 | UInt128(key[index]) }
        return text(number)
    }
}

/// Bytes for people to look at.
enum RowText {
    /// Bytes shown; the rest is counted.
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
