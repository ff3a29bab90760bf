public import EventLog

/// What a log must agree to before this program reads or writes it.
public enum LoyaltySchema {
    /// Every event type and tag kind of GreenTea by number and name. Opening a log interns new ones and refuses a log that
    /// holds another name for one of the numbers.
    public static let schema = Schema(types: typeNames, tagKinds: tagRules)

    /// The version of each type that is written today, or was at last; lower ones stay readable for ever.
    public static let versions: [EventType: UInt16] = Dictionary(
        uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.currentVersion) })

    /// Every retired version that can still be read.
    package static let retired: [RetiredVersion] = Upcasters.all.map {
        RetiredVersion(type: EventType(rawValue: $0.type.rawValue), version: $0.version, upcaster: "\($0)", about: $0.about)
    }

    /// What the values of a tag are: the prefix of their ids, or nil where they are keyed hashes.
    package static func idPrefix(of kind: TagKind) -> String? { WireTag(kind)?.idPrefix }

    private static var typeNames: [EventType: String] {
        Dictionary(uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.name) })
    }

    private static var tagRules: [TagKind: TagKindRule] {
        Dictionary(
            uniqueKeysWithValues: WireTag.allCases.map { ($0.kind, TagKindRule(name: $0.name, isIndexed: $0.isIndexed)) })
    }
}
