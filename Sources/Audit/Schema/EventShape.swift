internal import EventLog
internal import LoyaltyCodec

/// One event type as it was ever stored: gathered from the codec's tables, the golden events and the description of payloads.
struct EventShape {
    /// One version of it.
    struct Version {
        let number: UInt16
        /// Its golden events.
        let goldens: [SchemaFixtures.Golden]
        /// What reads it, where it is written no more.
        let retired: RetiredVersion?
    }

    let type: EventType
    let name: String
    /// Nil for a type without a payload.
    let message: ProtoMessage?
    /// The first one first.
    let versions: [Version]

    /// Every type, in the order of the numbers.
    static func all(_ fixtures: SchemaFixtures) -> [EventShape] {
        LoyaltySchema.schema.types.sorted { $0.key < $1.key }.map { type, name in
            let current = LoyaltySchema.versions[type] ?? 1
            let versions = (1...current).map { number in
                Version(
                    number: number,
                    goldens: fixtures.goldens.filter { $0.event?.type == type && $0.event?.schemaVersion == number },
                    retired: LoyaltySchema.retired.first { $0.type == type && $0.version == number })
            }
            return EventShape(type: type, name: name, message: fixtures.messages.first { $0.name == name }, versions: versions)
        }
    }

    private var events: [NewEvent] { versions.flatMap(\.goldens).compactMap(\.event) }

    /// The kinds of its tags, and how many of each the golden events have.
    var tags: [(kind: TagKind, counts: ClosedRange<Int>)] {
        let counts = events.map { event in Dictionary(grouping: event.tags, by: \.kind).mapValues(\.count) }
        let kinds = Set(counts.flatMap(\.keys)).sorted()
        return kinds.map { kind in
            let found = counts.map { $0[kind] ?? 0 }
            return (kind, (found.min() ?? 0)...(found.max() ?? 0))
        }
    }

    /// In which versions the golden events have a field.
    func versions(with field: ProtoField) -> [UInt16] {
        versions.filter { version in
            version.goldens.contains { PayloadShape.fields(of: $0.event?.payload ?? [])?[field.number] != nil }
        }.map(\.number)
    }

    /// What golden events and the description disagree about: fields that are not described, or written in another way.
    var contradictions: [String] {
        versions.flatMap(\.goldens).flatMap { golden in
            (PayloadShape.fields(of: golden.event?.payload ?? []) ?? [:]).compactMap { number, wire in
                let field = message?.fields.first { $0.number == number }
                return field?.wireType == wire ? nil : "\(golden.name): field \(number) is not as events.proto says"
            }
        }
    }
}
