internal import LMDB
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// A row of a read model, as exports read it.
struct ModelRow {
    let key: RowKey
    let value: [UInt8]

    init(_ row: borrowing CanonicalRow) {
        (key, value) = (row.key, row.value)
    }

    /// Sixteen bytes of the key.
    func id(at offset: Int = 0) -> UInt128 { key.bytes.bigEndian128(at: offset) }

    /// Eight bytes of the key.
    func number(at offset: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in offset..<offset + 8 { number = number << 8 | UInt64(key.bytes[index]) }
        return number
    }

    /// Eight bytes of a value that is a position, or a part of a key: little-endian.
    func valueNumber(at offset: Int = 0) -> UInt64 {
        let value = value
        return value.span.littleEndian64(at: offset)
    }

    /// Sixteen bytes of a value that is an id, in the order of keys.
    func valueID() -> UInt128 {
        let value = value
        return value.span.bigEndian128(at: 0)
    }

    /// What the value says, read as its model reads it.
    ///
    /// - Throws: ``AuditError/Code/model`` for bytes that its model would not read: a defect of the program.
    func decoded<Value>(_ decode: (Span<UInt8>) -> Value?) throws(AuditError) -> Value {
        let value = value
        if let decoded = decode(value.span) { return decoded }
        throw AuditError(.model, "a row of a model does not decode.", remedy: "This is a defect of the program: please report it.")
    }
}
