public import EventLog

/// The names and numbers that a log must agree with before this program reads or writes it.
public enum LoyaltySchema {
    /// Every event type and tag kind of GreenTea by number and name. When a log is opened, new numbers are added to the log's table of
    /// names. A log that has another name for one of the numbers is refused.
    public static let schema = Schema(types: typeNames, tagKinds: tagRules)

    /// For each event type, the schema version that is written today or was written last. Lower versions stay readable for ever.
    public static let versions: [EventType: UInt16] = Dictionary(
        uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.currentVersion) })

    /// Every retired version of an event type. All of them can still be read.
    package static let retired: [RetiredVersion] = Upcasters.all.map {
        RetiredVersion(type: EventType(rawValue: $0.type.rawValue), version: $0.version, upcaster: "\($0)", about: $0.about)
    }

    /// The prefix of the ids of a tag kind; nil if its values are keyed hashes.
    package static func idPrefix(of kind: TagKind) -> String? { WireTag(kind)?.idPrefix }

    private static var typeNames: [EventType: String] {
        Dictionary(uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.name) })
    }

    private static var tagRules: [TagKind: TagKindRule] {
        Dictionary(
            uniqueKeysWithValues: WireTag.allCases.map { ($0.kind, TagKindRule(name: $0.name, isIndexed: $0.isIndexed)) })
    }
}

/// A version of an event type that is no longer written, and its upcaster.
package struct RetiredVersion: Hashable, Sendable {
    package let type: EventType
    package let version: UInt16
    /// The name of the version's upcaster.
    package let upcaster: String
    /// The difference from the next version, and the values that today's event gets in place of missing fields.
    package let about: String
}
