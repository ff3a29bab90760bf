internal import LMDB
internal import Loyalty
internal import Projections

/// A value that a table stores under a key, with its form in bytes. All numbers are little-endian.
protocol StoredRow {
    /// The row in messages about damage, such as "a visit's row".
    static var noun: String { get }

    /// Nil if the bytes are not a row of this form.
    init?(_ row: Span<UInt8>)

    /// Replaces `row` by the value.
    func encode(into row: inout [UInt8])
}

extension Span<UInt8> {
    func time(at offset: Int) -> Instant { Instant(microseconds: Int64(bitPattern: littleEndian64(at: offset))) }

    /// Nil for the least i64, which rows have in place of a missing time.
    func timeIfAny(at offset: Int) -> Instant? {
        let time = time(at: offset)
        return time.microseconds == .min ? nil : time
    }
}

extension ModelStore {
    /// Bytes of another form are damage.
    func decoded<Row: StoredRow>(_ row: Span<UInt8>) throws(ReadModelError) -> Row {
        guard let value = Row(row) else { throw damaged("\(Row.noun) does not decode") }
        return value
    }

    func row<Row: StoredRow>(_ table: Table, _ key: RowKey, in snapshot: borrowing Snapshot) throws(ReadModelError) -> Row? {
        try value(table, key, in: snapshot) { (row) throws(ReadModelError) in try decoded(row) }
    }

    /// `what` names the row in messages about damage.
    func id(_ row: Span<UInt8>, _ what: @autoclosure () -> String) throws(ReadModelError) -> UInt128 {
        guard row.count == 16 else { throw damaged("\(what()) has \(row.count) bytes") }
        return row.bigEndian128(at: 0)
    }
}

@available(*, noasync)
extension ModelStore {
    func row<Row: StoredRow>(_ table: Table, _ key: RowKey, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> Row? {
        try value(table, key, in: transaction) { (row) throws(ReadModelError) in try decoded(row) }
    }

    /// Stores or replaces a row.
    func put(_ table: Table, _ key: RowKey, _ value: some StoredRow, in transaction: inout WriteTransaction) throws(ReadModelError) {
        var row: [UInt8] = []
        value.encode(into: &row)
        try put(table, key, row.span, in: &transaction)
    }

    func put(
        _ table: Table, _ key: RowKey, number: some FixedWidthInteger & BitwiseCopyable, in transaction: inout WriteTransaction
    ) throws(ReadModelError) {
        var row: [UInt8] = []
        row.append(littleEndian: number)
        try put(table, key, row.span, in: &transaction)
    }
}

extension ModelTable {
    init(_ name: String, key: [KeyPart], number describe: @escaping @Sendable (UInt64) -> String) {
        self.init(name, key: key) { row in row.count == 8 ? describe(row.littleEndian64(at: 0)) : nil }
    }

    /// A table of counts, of four bytes.
    init(_ name: String, key: [KeyPart], count describe: @escaping @Sendable (UInt32) -> String) {
        self.init(name, key: key) { row in row.count == 4 ? describe(row.littleEndian32(at: 0)) : nil }
    }

    /// An index: a table of ids.
    init(_ name: String, key: [KeyPart], id describe: @escaping @Sendable (UInt128) -> String) {
        self.init(name, key: key) { row in row.count == 16 ? describe(row.bigEndian128(at: 0)) : nil }
    }
}
