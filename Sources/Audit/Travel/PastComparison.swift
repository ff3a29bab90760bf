internal import Loyalty
internal import LoyaltyCodec

/// One thing at two moments, field by field.
public struct PastComparison: Sendable {
    private let from: PastAnswer
    private let to: PastAnswer

    public init(from: PastAnswer, to: PastAnswer) {
        (self.from, self.to) = (from, to)
    }

    /// A field a line, `before  →  after` where they differ; of lists, what came and what went.
    public var lines: [String] {
        let heading =
            "\(from.subject)  from position \(from.moment.position), \(from.moment.clock.rfc3339), "
            + "to position \(to.moment.position), \(to.moment.clock.rfc3339)"
        let (old, new) = (from.rows.first ?? [], to.rows.first ?? [])
        if old.isEmpty, new.isEmpty { return [heading + ": there was none"] }
        let names = (new.isEmpty ? old : new).map(\.name)
        let width = names.map(\.count).max() ?? 0
        return [heading]
            + names.flatMap { name -> [String] in
                let label = "  " + name + String(repeating: " ", count: width - name.count) + "  "
                let values = (Self.value(name, old), Self.value(name, new))
                if case (.list(let before)?, .list(let after)?) = values { return Self.lists(label, before, after) }
                let texts = (Self.text(values.0), Self.text(values.1))
                return [label + (texts.0 == texts.1 ? texts.0 : "\(texts.0)  →  \(texts.1)")]
            }
    }

    /// One object with both states; null where there was no such thing.
    public var json: String {
        JSONText.object([("subject", JSONText.string(from.subject)), ("from", Self.json(from)), ("to", Self.json(to))])
    }

    private static func json(_ answer: PastAnswer) -> String {
        JSONText.object([
            ("position", "\(answer.moment.position)"), ("time", JSONText.string(answer.moment.clock.rfc3339)),
            ("state", answer.rows.first.map { PastAnswer.json(.record($0)) } ?? "null"),
        ])
    }

    private static func lists(_ label: String, _ before: [PastValue], _ after: [PastValue]) -> [String] {
        let (gone, new) = (before.filter { !after.contains($0) }, after.filter { !before.contains($0) })
        let counts = before.count == after.count ? "\(after.count)" : "\(before.count)  →  \(after.count)"
        return [label + counts] + gone.map { "    - " + PastAnswer.plain($0) } + new.map { "    + " + PastAnswer.plain($0) }
    }

    private static func value(_ name: String, _ row: [PastField]) -> PastValue? { row.first { $0.name == name }?.value }

    private static func text(_ value: PastValue?) -> String { value.map(PastAnswer.plain) ?? "not there" }
}
