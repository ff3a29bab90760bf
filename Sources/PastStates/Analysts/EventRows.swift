internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// The log as a table with one row per event.
struct EventRows {
    private let kinds: [TagKind]
    private let names: [EventType: String]

    init() {
        kinds = LoyaltySchema.schema.tagKinds.keys.sorted()
        names = LoyaltySchema.schema.types
    }

    static let table = AnalystTable(
        name: "events", about: "An event, in the order of the log.", source: "log",
        columns: [
            AnalystColumn("position", .integer, "Its place in the log: dense, from 1."),
            AnalystColumn("time", .time, "When it was decided; of imported events, when it happened. Not always ascending."),
            AnalystColumn("type", .text, "What happened."),
            AnalystColumn("version", .integer, "The version of its type under which it was stored; the other columns say it as today's."),
            AnalystColumn("actor", .text, "The account that caused it."),
        ] + tagColumns + [
            AnalystColumn("payload", .json, "What its tags do not say; moments inside are RFC 3339 with milliseconds."),
            AnalystColumn("sealed", .json, "Sealed fields as base64, each under the key of one account; none where it has no such field."),
        ])

    private static var tagColumns: [AnalystColumn] {
        LoyaltySchema.schema.tagKinds.sorted { $0.key < $1.key }.map { kind, rule in
            AnalystColumn(AnalystColumn.snakeCase(rule.name), .text, about(kind))
        }
    }

    private static func about(_ kind: TagKind) -> String {
        switch kind {
        case .codeSecret, .redemptionSecret, .printSecret, .phone, .request, .digest: "Tag: a keyed hash, 32 hexadecimal digits."
        case .image: "Tag: the images shown from then on, ascending, a space between two; their order is in the payload."
        case .shop: "Tag: the shop; of a notice to everybody shop_00000000000000000000000000, which is none."
        default: "Tag: an id."
        }
    }

    /// The row for one event.
    ///
    /// - Throws: `CodecError` for an event that does not decode.
    func row(_ record: borrowing Record, at position: Position) throws -> [AnalystValue] {
        let fact = try LoyaltyCodec.decode(record, at: position)
        var texts = [String?](repeating: nil, count: kinds.count)
        var known: Set<String> = []
        for index in 0..<record.tagCount {
            let tag = record.tag(at: index)
            guard let place = kinds.firstIndex(of: tag.kind) else { continue }
            let text = tag.valueText
            // The payload column leaves out ids that the event has as tags. It keeps the ids of images, because only the payload has the
            // images' order.
            if tag.kind != .image { known.insert(text) }
            texts[place] = texts[place].map { "\($0) \(text)" } ?? text
        }
        var values: [AnalystValue] = [
            .position(position.rawValue), .time(fact.time), .text(names[record.type] ?? ""), .integer(Int(record.schemaVersion)),
            .text(fact.actor.text),
        ]
        for text in texts { values.append(text.map { .text($0) } ?? .none) }
        values.append(.json(FactText.payload(fact, without: known)))
        values.append(FactText.sealed(fact).map { .json($0) } ?? .none)
        return values
    }
}
