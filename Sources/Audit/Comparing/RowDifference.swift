internal import EventLog
internal import ReadModels

/// The first row at which stored rows and expected ones part.
struct RowDifference: Sendable {
    let place: RowPlace
    /// Nil where there is no such row.
    let stored: [UInt8]?
    /// Nil where there should be none.
    let expected: [UInt8]?

    var kind: ModelDifference.Kind {
        if stored == nil { return .missingRow }
        return expected == nil ? .extraRow : .changedRow
    }

    /// The same in readable text.
    func difference<Model: Projection>(of model: Model.Type, at position: Position) -> ModelDifference {
        ModelDifference(
            kind, model: Model.name, position: position, table: Model.tables[place.table].name, key: place.text(of: model),
            stored: place.text(stored, of: model), expected: place.text(expected, of: model), detail: detail, row: place)
    }

    /// Where in a row that both have, and with which bytes: not all of a row stands in its text.
    var detail: String? {
        guard let stored, let expected else { return nil }
        let same = zip(stored, expected).prefix { $0 == $1 }.count
        return "\(stored.count) bytes stored, \(expected.count) expected, different from byte \(same) on: "
            + "\(Self.bytes(stored.dropFirst(same))) stored, \(Self.bytes(expected.dropFirst(same))) expected"
    }

    private static func bytes(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.isEmpty ? "nothing" : ModelDigest.hex(Array(bytes.prefix(8))) + (bytes.count > 8 ? "…" : "")
    }
}

extension RowPlace {
    /// The key in readable ids.
    func text<Model: Projection>(of model: Model.Type) -> String {
        let key = key
        return Model.tables[table].text(key: key.span)
    }

    /// A value of this row in readable text.
    func text<Model: Projection>(_ value: [UInt8]?, of model: Model.Type) -> String {
        guard let value else { return "nothing" }
        return Model.tables[table].text(value: value.span)
    }
}
