internal import EventLog
internal import LoyaltyCodec

/// The text of a page about every event type, in every version that was ever stored: `Fixtures/events/CATALOGUE.md`.
public struct EventCatalogue {
    private let shapes: [EventShape]

    public init(_ fixtures: SchemaFixtures) { shapes = EventShape.all(fixtures) }

    /// Golden events whose bytes do not match `events.proto`, and fields of `events.proto` that no golden event has.
    public var contradictions: [String] {
        shapes.flatMap { shape in
            let unseen = (shape.message?.fields ?? []).filter { shape.versions(with: $0).isEmpty }
            return shape.contradictions + unseen.map { "\(shape.name): no golden event has field \($0.number), \($0.name)" }
        }
    }

    /// The page, in Markdown.
    public var text: String { ([Self.head, overview, kinds] + shapes.map(section)).joined(separator: "\n") }

    private static let head = """
        # Every event shape ever stored

        Made by `greentea-audit catalogue` from the codec's tables, the golden events of this folder and `events.proto`; a test \
        holds it to \
        them. Not to be edited. How to change a shape: `Sources/LoyaltyCodec/CHANGING.md`.

        Every event has a time, an actor, and where a request caused it the tags `request` and `digest`. Moments are microseconds since \
        1970-01-01T00:00:00Z.

        """

    private var overview: String {
        let rows = shapes.map { shape in
            let tags = shape.tags.filter { !Self.marks.contains($0.kind) }.map { Self.name($0.kind) }
            return "| \(shape.type.rawValue) | \(shape.name) | \(shape.versions.count) | \(tags.joined(separator: ", ")) |"
        }
        return Self.table(["number", "type", "version", "tags"], rows)
    }

    private var kinds: String {
        let rows = LoyaltySchema.schema.tagKinds.sorted { $0.key < $1.key }.map { kind, rule in
            "| \(kind.rawValue) | \(rule.name) | \(Self.value(kind)) | \(rule.isIndexed ? "yes" : "no") |"
        }
        return "## Tags\n\n" + Self.table(["number", "kind", "value", "indexed"], rows)
    }

    private func section(_ shape: EventShape) -> String {
        let tags = shape.tags.map { tag in
            let marked = Self.marks.contains(tag.kind) ? "with a request" : Self.text(tag.counts)
            return "| \(Self.name(tag.kind)) | \(Self.value(tag.kind)) | \(marked) |"
        }
        var parts = ["## \(shape.type.rawValue) \(shape.name)\n", Self.table(["tag", "value", "how many"], tags)]
        if let message = shape.message {
            let fields = message.fields.map { row($0, shape) }
            parts.append(Self.table(["field", "name", "type", "on the wire", "sealed", "versions", "what it says"], fields))
        } else {
            parts.append("No payload.\n")
        }
        parts.append(Self.table(["version", "read by", "golden events"], shape.versions.map(row)))
        return parts.joined(separator: "\n")
    }

    private func row(_ field: ProtoField, _ shape: EventShape) -> String {
        let type = field.label.isEmpty ? field.type : "\(field.label) \(field.type)"
        let versions = shape.versions(with: field).map(String.init).joined(separator: ", ")
        let values = (shape.message?.values ?? [:]).filter { $0.key.hasPrefix("\(field.type).") }.sorted { $0.key < $1.key }
        let meanings = values.map { "\($0.key.drop { $0 != "." }.dropFirst()) \($0.value)" }
        let said = ([field.comment] + meanings).filter { !$0.isEmpty }.joined(separator: "; ")
        return "| \(field.number) | \(field.name) | \(type) | \(field.wireText) | \(field.isSealed ? "yes" : "") | \(versions) | \(said) |"
    }

    private func row(_ version: EventShape.Version) -> String {
        let reader = version.retired.map { "`\($0.upcaster)`: \($0.about)" } ?? "today's decoder"
        return "| \(version.number) | \(reader) | \(version.goldens.map { "`\($0.name)`" }.joined(separator: ", ")) |"
    }

    private static let marks: Set<TagKind> = [.request, .digest]

    private static func name(_ kind: TagKind) -> String { LoyaltySchema.schema.tagKinds[kind]?.name ?? "\(kind.rawValue)" }

    private static func value(_ kind: TagKind) -> String { LoyaltySchema.idPrefix(of: kind).map { "id, `\($0)_…`" } ?? "keyed hash" }

    private static func text(_ counts: ClosedRange<Int>) -> String {
        counts.lowerBound == counts.upperBound ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
    }

    private static func table(_ head: [String], _ rows: [String]) -> String {
        let line = "| " + head.joined(separator: " | ") + " |"
        return ([line, "|" + String(repeating: "---|", count: head.count)] + rows).joined(separator: "\n") + "\n"
    }
}

struct EventShape {
    struct Version {
        let number: UInt16
        let goldens: [SchemaFixtures.Golden]
        /// The code that reads the version, if it is no longer written.
        let retired: RetiredVersion?
    }

    let type: EventType
    let name: String
    /// The message in `events.proto`; nil for a type without a payload.
    let message: ProtoMessage?
    let versions: [Version]

    static func all(_ fixtures: SchemaFixtures) -> [EventShape] {
        LoyaltySchema.schema.types.sorted { $0.key < $1.key }.map { type, name in
            let current = LoyaltySchema.versions[type] ?? 1
            let versions = (1...current).map { number in
                Version(
                    number: number, goldens: fixtures.goldens.filter { $0.event?.type == type && $0.event?.schemaVersion == number },
                    retired: LoyaltySchema.retired.first { $0.type == type && $0.version == number })
            }
            return EventShape(type: type, name: name, message: fixtures.messages.first { $0.name == name }, versions: versions)
        }
    }

    private var events: [NewEvent] { versions.flatMap(\.goldens).compactMap(\.event) }

    /// For each kind of tag, the smallest and largest number in a golden event.
    var tags: [(kind: TagKind, counts: ClosedRange<Int>)] {
        let counts = events.map { event in Dictionary(grouping: event.tags, by: \.kind).mapValues(\.count) }
        let kinds = Set(counts.flatMap(\.keys)).sorted()
        return kinds.map { kind in
            let found = counts.map { $0[kind] ?? 0 }
            return (kind, (found.min() ?? 0)...(found.max() ?? 0))
        }
    }

    func versions(with field: ProtoField) -> [UInt16] {
        versions.filter { version in
            version.goldens.contains { PayloadShape.fields(of: $0.event?.payload ?? [])?[field.number] != nil }
        }.map(\.number)
    }

    /// Fields of golden events that are missing in `events.proto` or have another wire type there.
    var contradictions: [String] {
        versions.flatMap(\.goldens).flatMap { golden in
            (PayloadShape.fields(of: golden.event?.payload ?? []) ?? [:]).compactMap { number, wire in
                let field = message?.fields.first { $0.number == number }
                return field?.wireType == wire ? nil : "\(golden.name): field \(number) is not as events.proto says"
            }
        }
    }
}
