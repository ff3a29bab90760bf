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
