public import EventLog

/// What a log must agree to before this program reads or writes it.
public enum LoyaltySchema {
    /// Every event type and tag kind of GreenTea by number and name. Opening a log interns new ones and refuses a log that
    /// holds another name for one of the numbers.
    public static let schema = Schema(types: typeNames, tagKinds: tagRules)

    private static var typeNames: [EventType: String] {
        Dictionary(uniqueKeysWithValues: WireType.allCases.map { (EventType(rawValue: $0.rawValue), $0.name) })
    }

    private static var tagRules: [TagKind: TagKindRule] {
        Dictionary(
            uniqueKeysWithValues: WireTag.allCases.map { ($0.kind, TagKindRule(name: $0.name, isIndexed: $0.isIndexed)) })
    }
}
