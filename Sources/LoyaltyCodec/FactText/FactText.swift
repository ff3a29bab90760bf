public import Loyalty

/// Events as people and other programs read them: one line each, in a readable form and as JSON.
public enum FactText {
    /// `12 2026-11-21T09:00:00.123Z CardStamped card=card_01… stamps=1 by=acct_01…`; sealed fields say `sealed`, written text
    /// stands in quotes with its control characters escaped, so that a line stays one line and forges no other.
    public static func line(_ fact: Fact) -> String {
        var parts = ["\(fact.position)", fact.time.rfc3339, fact.event.wireType.name]
        for field in fact.event.fields { parts.append("\(field.name)=\(plain(field.value))") }
        parts.append("by=\(fact.actor.text)")
        return parts.joined(separator: " ")
    }

    /// One JSON object without line breaks: `position`, `time`, `type`, `actor`, `event` and, where there are any, `sealed`
    /// fields as base64. Keyed hashes are 32 hexadecimal digits.
    ///
    /// - Parameter reader: whoever the text is for, where that is one person: another actor is `null`, since nobody gets others' ids.
    public static func json(_ fact: Fact, for reader: AccountID? = nil) -> String {
        let isNamed = reader == nil || reader == fact.actor
        var open: [(name: String, value: String)] = []
        var sealed: [(name: String, value: String)] = []
        for field in fact.event.fields {
            if case .sealed(let value) = field.value {
                sealed.append((field.name, JSONText.string(Base64.text(value.bytes))))
            } else {
                open.append((field.name, json(field.value)))
            }
        }
        var members = [
            (name: "position", value: "\(fact.position)"),
            (name: "time", value: JSONText.string(fact.time.rfc3339)),
            (name: "type", value: JSONText.string(fact.event.wireType.name)),
            (name: "actor", value: isNamed ? JSONText.string(fact.actor.text) : "null"),
            (name: "event", value: JSONText.object(open)),
        ]
        if !sealed.isEmpty { members.append((name: "sealed", value: JSONText.object(sealed))) }
        return JSONText.object(members)
    }

    /// What the payload says as one JSON object: the fields of `json(_:)` but for ids and keyed hashes that are tags of the event.
    ///
    /// - Parameter tags: the event's tags as text, see `Tag.valueText`.
    package static func payload(_ fact: Fact, without tags: Set<String>) -> String {
        var members: [(name: String, value: String)] = []
        for field in fact.event.fields {
            switch field.value {
            case .sealed: continue
            case .symbol(let text) where tags.contains(text): continue
            case .symbols(let texts) where texts.allSatisfy(tags.contains): continue
            default: members.append((field.name, json(field.value)))
            }
        }
        return JSONText.object(members)
    }

    /// The sealed fields as one JSON object, each as base64; nil where there are none.
    package static func sealed(_ fact: Fact) -> String? {
        var members: [(name: String, value: String)] = []
        for field in fact.event.fields {
            if case .sealed(let value) = field.value { members.append((field.name, JSONText.string(base64(value)))) }
        }
        return members.isEmpty ? nil : JSONText.object(members)
    }

    /// Sealed bytes as other programs read them.
    package static func base64(_ sealed: Sealed) -> String { Base64.text(sealed.bytes) }

    private static func plain(_ value: FactValue) -> String {
        switch value {
        case .symbol(let symbol): symbol
        case .symbols(let symbols): symbols.joined(separator: ",")
        case .sealed: "sealed"
        case .text, .integer, .degrees: json(value)
        }
    }

    private static func json(_ value: FactValue) -> String {
        switch value {
        case .symbol(let text), .text(let text): JSONText.string(text)
        case .symbols(let symbols): "[" + symbols.map { JSONText.string($0) }.joined(separator: ",") + "]"
        case .integer(let number): "\(number)"
        case .degrees(let degrees): JSONText.number(degrees)
        case .sealed(let sealed): JSONText.string(Base64.text(sealed.bytes))
        }
    }
}
