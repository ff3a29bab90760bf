public import EventLog
internal import Merkle
internal import Projections
internal import ReadModels

/// The first difference between a read model and its expected content.
public struct ModelDifference: Hashable, Sendable {
    /// The kind of difference.
    public enum Kind: String, Sendable, Hashable {
        case changedRow
        case missingRow
        case extraRow
        /// The model's position is after the log's head, or the model was built from another log.
        case foreignPosition
        /// The model cannot be read, or its file does not match its checksum although every row is right.
        case damaged
    }

    public let kind: Kind
    public let model: String
    /// Nil if the position cannot be read.
    public let position: Position?
    /// Nil if the difference is about no row.
    public let table: String?
    /// As text, with ids such as `card_01…`.
    public let key: String?
    public let stored: String?
    public let expected: String?
    /// For example the offset at which two rows differ.
    public let detail: String?
    /// Nil also for the search database.
    let row: RowPlace?

    init(
        _ kind: Kind, model: String, position: Position?, table: String? = nil, key: String? = nil, stored: String? = nil,
        expected: String? = nil, detail: String? = nil, row: RowPlace? = nil
    ) {
        (self.kind, self.model, self.position, self.row) = (kind, model, position, row)
        (self.table, self.key, self.stored, self.expected, self.detail) = (table, key, stored, expected, detail)
    }

    static func foreign(model: String, position: Position, in log: EventLog) -> ModelDifference {
        ModelDifference(
            .foreignPosition, model: model, position: position,
            detail: "the log does not hold the event that the model stands at; its head is \(log.head)")
    }

    /// The difference for a model that cannot be read at all.
    public static func damaged(model: String, position: Position? = nil, _ detail: String) -> ModelDifference {
        ModelDifference(.damaged, model: model, position: position, detail: detail)
    }
}

extension ModelDifference: CustomStringConvertible {
    public var description: String {
        let place = [kind.rawValue, model, table, key].compactMap(\.self).joined(separator: " ")
        let parts = [stored.map { "stored \($0)" }, expected.map { "should be \($0)" }, detail].compactMap(\.self)
        return "\(place): \(parts.joined(separator: "; "))" + (position.map { " (at position \($0))" } ?? "")
    }
}

/// The first row at which stored and expected rows differ.
struct RowDifference: Sendable {
    let place: RowPlace
    let stored: [UInt8]?
    let expected: [UInt8]?

    var kind: ModelDifference.Kind {
        if stored == nil { return .missingRow }
        return expected == nil ? .extraRow : .changedRow
    }

    func difference<Model: Projection>(of model: Model.Type, at position: Position) -> ModelDifference {
        ModelDifference(
            kind, model: Model.name, position: position, table: Model.tables[place.table].name, key: place.text(of: model),
            stored: place.text(stored, of: model), expected: place.text(expected, of: model), detail: detail, row: place)
    }

    /// Lengths, first different offset and the bytes there, because a row's text does not show all bytes.
    var detail: String? {
        guard let stored, let expected else { return nil }
        let same = zip(stored, expected).prefix { $0 == $1 }.count
        return "\(stored.count) bytes stored, \(expected.count) expected, different from byte \(same) on: "
            + "\(Self.bytes(stored.dropFirst(same))) stored, \(Self.bytes(expected.dropFirst(same))) expected"
    }

    private static func bytes(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.isEmpty ? "nothing" : Hexadecimal.text(bytes.prefix(8)) + (bytes.count > 8 ? "…" : "")
    }
}

extension RowPlace {
    func text<Model: Projection>(of model: Model.Type) -> String {
        let key = key
        return Model.tables[table].text(key: key.span)
    }

    /// Readable text; "nothing" for nil.
    func text<Model: Projection>(_ value: [UInt8]?, of model: Model.Type) -> String {
        guard let value else { return "nothing" }
        return Model.tables[table].text(value: value.span)
    }
}

struct RowPlace: Hashable, Sendable {
    let table: Int
    let key: [UInt8]
}
