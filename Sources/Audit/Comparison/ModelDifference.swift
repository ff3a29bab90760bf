public import EventLog
internal import Merkle
internal import Projections
internal import ReadModels

/// The first difference between a read model and its expected content.
public struct ModelDifference: Hashable, Sendable {
    /// The kind of difference.
    public enum Kind: String, Sendable, Hashable {
        /// The bytes of a stored row differ from the expected ones.
        case changedRow
        /// An expected row is missing.
        case missingRow
        /// A row exists that should not.
        case extraRow
        /// The model's position is after the log's head, or the model was built from another log.
        case foreignPosition
        /// The storage layer cannot read the model, or the model's file does not match its checksum although every row is right.
        case damaged
    }

    public let kind: Kind
    /// The model's name.
    public let model: String
    /// The position at which the model was compared; nil if the position cannot be read.
    public let position: Position?
    /// The table of the row that differs; nil if the difference is about no row.
    public let table: String?
    /// The row's key as text, with ids such as `card_01…`; nil if the difference is about no row.
    public let key: String?
    /// The row's stored content as text.
    public let stored: String?
    /// The row's expected content as text.
    public let expected: String?
    /// Further details, such as the offset at which two rows differ; nil if there are none.
    public let detail: String?
    /// The place of the row that differs; nil for the search database, and if the difference is about no row.
    let row: RowPlace?

    init(
        _ kind: Kind, model: String, position: Position?, table: String? = nil, key: String? = nil, stored: String? = nil,
        expected: String? = nil, detail: String? = nil, row: RowPlace? = nil
    ) {
        self.kind = kind
        self.model = model
        self.position = position
        self.table = table
        self.key = key
        self.stored = stored
        self.expected = expected
        self.detail = detail
        self.row = row
    }

    /// The difference for a model that cannot be read at all.
    public static func damaged(model: String, position: Position? = nil, _ detail: String) -> ModelDifference {
        ModelDifference(.damaged, model: model, position: position, detail: detail)
    }
}

extension ModelDifference: CustomStringConvertible {
    /// The difference in one line: "changedRow card-progress cards card_01…: stored …; should be … (at position 42)".
    public var description: String {
        var text = [kind.rawValue, model, table, key].compactMap { $0 }.joined(separator: " ")
        var parts: [String] = []
        if let stored { parts.append("stored \(stored)") }
        if let expected { parts.append("should be \(expected)") }
        if let detail { parts.append(detail) }
        text += ": " + parts.joined(separator: "; ")
        return position.map { text + " (at position \($0))" } ?? text
    }
}

/// The first row at which stored and expected rows differ.
struct RowDifference: Sendable {
    let place: RowPlace
    /// The stored bytes; nil if there is no such row.
    let stored: [UInt8]?
    /// The expected bytes; nil if there should be no such row.
    let expected: [UInt8]?

    var kind: ModelDifference.Kind {
        if stored == nil { return .missingRow }
        return expected == nil ? .extraRow : .changedRow
    }

    /// Returns this difference with its table, key and values as text.
    func difference<Model: Projection>(of model: Model.Type, at position: Position) -> ModelDifference {
        ModelDifference(
            kind, model: Model.name, position: position, table: Model.tables[place.table].name, key: place.text(of: model),
            stored: place.text(stored, of: model), expected: place.text(expected, of: model), detail: detail, row: place)
    }

    /// The lengths of the stored and the expected bytes, the first offset at which they differ, and up to eight bytes of each from there
    /// on; nil if one of the rows does not exist. These details are needed because a row's text does not show all of the row's bytes.
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
    /// The row's key as text, with ids such as `card_01…`.
    func text<Model: Projection>(of model: Model.Type) -> String {
        let key = key
        return Model.tables[table].text(key: key.span)
    }

    /// A value of this row in readable text; "nothing" for nil.
    func text<Model: Projection>(_ value: [UInt8]?, of model: Model.Type) -> String {
        guard let value else { return "nothing" }
        return Model.tables[table].text(value: value.span)
    }
}

/// The place of a row: its table and key.
struct RowPlace: Hashable, Sendable {
    /// The table's index among the model's tables.
    let table: Int
    /// The key's stored bytes.
    let key: [UInt8]
}
