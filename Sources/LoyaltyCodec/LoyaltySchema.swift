public import EventLog

/// The names and numbers that a log must agree with before this program reads or writes it.
public enum LoyaltySchema {
    /// Opening a log adds new numbers to its table. A log with another name for a number is refused.
    public static let schema = Schema(types: typeNames, tagKinds: tagRules)

    public static let versions: [EventType: UInt16] = Dictionary(
        uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.currentVersion) })

    package static let retired: [RetiredVersion] = Upcasters.all.map {
        RetiredVersion(type: EventType(rawValue: $0.type.rawValue), version: $0.version, upcaster: $0.name, about: $0.about)
    }

    /// nil for keyed hashes.
    package static func idPrefix(of kind: TagKind) -> String? { WireTag(kind)?.idPrefix }

    private static var typeNames: [EventType: String] {
        Dictionary(uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.name) })
    }

    private static var tagRules: [TagKind: TagKindRule] {
        Dictionary(uniqueKeysWithValues: WireTag.allCases.map { ($0.kind, TagKindRule(name: $0.name, isIndexed: $0 != .digest)) })
    }
}

/// A version of an event type that is no longer written, and its upcaster.
package struct RetiredVersion: Hashable, Sendable {
    package let type: EventType
    package let version: UInt16
    package let upcaster: String
    /// The difference from the next version, and substitutes for missing fields.
    package let about: String
}
