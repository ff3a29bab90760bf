internal import EventLog
internal import LMDB
internal import ReadModels

/// Walks one stored table beside the rows that it must have.
struct TableCheck {
    let model: String
    let position: Position
    let table: ModelTable
    let canonical: CanonicalTable

    /// The first row at which they part; nil where they are the same.
    func firstDifference(_ cursor: consuming Cursor) throws -> ModelDifference? {
        var row = CanonicalRow()
        var isThere = try cursor.next()
        for index in 0..<canonical.count {
            canonical.row(index, into: &row)
            guard isThere else { return missing(row) }
            let order = Self.order(cursor.key, row.key.bytes)
            if order > 0 { return missing(row) }
            if order < 0 { return extra(cursor.key, cursor.value) }
            if let place = Self.firstDifferent(cursor.value, row.value.span) { return changed(row, cursor.value, at: place) }
            isThere = try cursor.next()
        }
        return isThere ? extra(cursor.key, cursor.value) : nil
    }

    private func missing(_ row: CanonicalRow) -> ModelDifference {
        ModelDifference(
            .missingRow, model: model, position: position, table: table.name, key: table.text(key: row.key.bytes),
            stored: "nothing", expected: table.text(value: row.value.span))
    }

    private func extra(_ key: Span<UInt8>, _ value: Span<UInt8>) -> ModelDifference {
        ModelDifference(
            .extraRow, model: model, position: position, table: table.name, key: table.text(key: key),
            stored: table.text(value: value), expected: "nothing")
    }

    private func changed(_ row: CanonicalRow, _ value: Span<UInt8>, at place: Int) -> ModelDifference {
        ModelDifference(
            .changedRow, model: model, position: position, table: table.name, key: table.text(key: row.key.bytes),
            stored: table.text(value: value), expected: table.text(value: row.value.span),
            detail: "\(value.count) bytes stored, \(row.value.count) expected, different from byte \(place) on")
    }

    /// Negative, zero or positive, as LMDB orders keys.
    private static func order(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return Int(left[index]) - Int(right[index])
        }
        return left.count - right.count
    }

    private static func firstDifferent(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int? {
        for index in 0..<min(left.count, right.count) where left[index] != right[index] { return index }
        return left.count == right.count ? nil : min(left.count, right.count)
    }
}
