public import Loyalty
internal import Merkle

/// Text forms of events: one line each, for people or as JSON for programs.
public enum FactText {
    /// A line such as `12 2026-11-21T09:00:00.123Z CardStamped card=card_01… stamps=1 by=acct_01…`. People's text is quoted and escaped, so
    /// that it cannot forge a line.
    public static func line(_ fact: Fact) -> String {
        let (type, event) = fact.event.coded
        var parts = ["\(fact.position)", fact.time.rfc3339, type.name]
        for field in event.fields { parts.append("\(field.name)=\(plain(field.value))") }
        parts.append("by=\(fact.actor.text)")
        return parts.joined(separator: " ")
    }

    /// The event as one JSON object on a line, with sealed fields as base64 in `sealed`.
    ///
    /// - Parameter reader: the account that gets a copy of its data, if any. Ids of other accounts are then `null`, because no customer may
    ///   learn them.
    public static func json(_ fact: Fact, for reader: AccountID? = nil) -> String {
        let isNamed = reader == nil || reader == fact.actor
        let (type, event) = fact.event.coded
        var open: [(name: String, value: String)] = []
        var sealed: [(name: String, value: String)] = []
        for field in event.fields {
            if case .sealed(let value) = field.value {
                sealed.append((field.name, JSONText.string(Base64.text(value.bytes))))
            } else {
                open.append((field.name, isOtherAccount(field.value, for: reader) ? "null" : json(field.value)))
            }
        }
        var members = [
            (name: "position", value: "\(fact.position)"), (name: "time", value: JSONText.string(fact.time.rfc3339)),
            (name: "type", value: JSONText.string(type.name)), (name: "actor", value: isNamed ? JSONText.string(fact.actor.text) : "null"),
            (name: "event", value: JSONText.object(open)),
        ]
        if !sealed.isEmpty { members.append((name: "sealed", value: JSONText.object(sealed))) }
        return JSONText.object(members)
    }

    /// The unsealed fields as JSON, without the event's tags.
    ///
    /// - Parameter tags: from `Tag.valueText`.
    package static func payload(_ fact: Fact, without tags: Set<String>) -> String {
        var members: [(name: String, value: String)] = []
        for field in fact.event.coded.event.fields {
            switch field.value {
            case .sealed: continue
            case .symbol(let text) where tags.contains(text): continue
            case .symbols(let texts) where texts.allSatisfy(tags.contains): continue
            default: members.append((field.name, json(field.value)))
            }
        }
        return JSONText.object(members)
    }

    /// The sealed fields as JSON, in base64; nil if there are none.
    package static func sealed(_ fact: Fact) -> String? {
        var members: [(name: String, value: String)] = []
        for field in fact.event.coded.event.fields {
            if case .sealed(let value) = field.value { members.append((field.name, JSONText.string(base64(value)))) }
        }
        return members.isEmpty ? nil : JSONText.object(members)
    }

    package static func base64(_ sealed: Sealed) -> String { Base64.text(sealed.bytes) }

    private static func isOtherAccount(_ value: FactValue, for reader: AccountID?) -> Bool {
        guard let reader, case .symbol(let text) = value, let account = AccountID(text: text) else { return false }
        return account != reader
    }

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

/// A field of an event, with the name under which it is shown.
struct FactField {
    let name: String
    let value: FactValue

    init(_ name: String, _ value: FactValue) { (self.name, self.value) = (name, value) }

    static func images(_ images: [ImageID]) -> [FactField] { images.isEmpty ? [] : [FactField("images", .symbols(images.map(\.text)))] }
}

/// The value of one field. Each case has its own text form.
enum FactValue {
    /// Needs no quotes on a line.
    case symbol(String)
    case symbols([String])
    /// Unsealed text that people wrote.
    case text(String)
    case integer(Int)
    case degrees(Double)
    /// Never decrypted here: this code must not get a data key.
    case sealed(Sealed)

    static func typed(_ text: TypedText) -> FactValue {
        switch text {
        case .clear(let text): .text(text)
        case .sealed(let sealed): .sealed(sealed)
        }
    }

    static func id<Noun: Identified>(_ id: ID<Noun>) -> FactValue { .symbol(id.text) }
    static func secret(_ secret: Secret) -> FactValue { .symbol(Hexadecimal.text(secret.value.bigEndianBytes)) }
    static func time(_ time: Instant) -> FactValue { .symbol(time.rfc3339) }
}

extension CampaignPublished {
    var fields: [FactField] {
        [FactField("campaign", .id(campaign)), FactField("shop", .id(shop)), FactField("kind", .symbol(kind.rawValue))] + terms.fields
    }
}

extension CampaignEdited {
    var fields: [FactField] { [FactField("campaign", .id(campaign)), FactField("shop", .id(shop))] + terms.fields }
}

extension CampaignTerms<TypedText> {
    fileprivate var fields: [FactField] {
        [
            FactField("title", .typed(title)), FactField("details", .typed(details)), FactField("goal", .integer(goal)),
            FactField("reward", .typed(reward)), FactField("startsAt", .time(startsAt)), FactField("endsAt", .time(endsAt)),
        ] + FactField.images(image.map { [$0] } ?? []) + caps.fields + options.fields
    }
}

extension StampCaps {
    fileprivate var fields: [FactField] {
        var fields: [FactField] = []
        if let stampsPerDayMax { fields.append(FactField("stampsPerDayMax", .integer(stampsPerDayMax))) }
        if let minimumGapSeconds { fields.append(FactField("minimumGapSeconds", .integer(minimumGapSeconds))) }
        return fields
    }
}

extension CardOpened {
    var fields: [FactField] {
        [
            FactField("card", .id(card)), FactField("campaign", .id(campaign)), FactField("shop", .id(shop)),
            FactField("holder", .id(holder)), FactField("goal", .integer(goal)), FactField("reward", .typed(reward)),
        ] + terms.fields + homeFields
    }
}

extension CardStamped {
    var fields: [FactField] {
        [
            FactField("card", .id(card)), FactField("code", .id(code)), FactField("campaign", .id(campaign)),
            FactField("shop", .id(shop)), FactField("holder", .id(holder)), FactField("stamps", .integer(stamps)),
        ] + (worth == stamps ? [] : [FactField("worth", .integer(worth))]) + homeFields
    }
}

/// A writer for a subset of JSON (RFC 8259), so that the bytes are the same on every machine.
package enum JSONText {
    /// Also escapes characters that end a line or change the writing direction, so that a terminal shows the true text.
    package static func string(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return "\"\(text)\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case ..<" ", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}": result += escaped(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// Printable ASCII without escapes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// The shortest decimal that reads back; null for numbers that JSON cannot express.
    package static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

    package static func object(_ members: [(name: String, value: String)]) -> String {
        "{" + members.map { "\(string($0.name)):\($0.value)" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
