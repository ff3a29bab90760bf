/// The forms in which events are logged.
public enum LogFormat: String, CaseIterable, Sendable {
    /// For people: `TIME LEVEL EVENT "message" name=value …`.
    case text
    /// For programs: one JSON object a line, all values strings.
    case json
}

/// One line of the log. Its texts may be hostile: none can end the line, start a field, move a terminal's cursor, change the direction of
/// writing, or make the line longer than ``LogLine/bytesMax``.
public struct LogLine: Sendable {
    /// Bytes of a message or value before escaping; longer ones are cut with `…`.
    public static let valueBytesMax = 2_048
    /// Bytes of a name; longer ones are cut with `…`, in the text form `_`.
    public static let nameBytesMax = 64
    /// Bytes of a line. The field `omitted` counts fields that do not fit.
    public static let bytesMax = 32_768
    /// Bytes for `omitted` and the line's end.
    private static let reservedBytes = 64

    /// RFC 3339, in UTC.
    let time: String
    let level: String
    let event: String
    let message: String
    let fields: [(name: String, value: String)]

    public init(time: String, level: String, event: String, message: String, fields: [(name: String, value: String)]) {
        // A library may log metadata named like the event's key, so a name may be any text.
        self.event = Self.short(event, Self.nameBytesMax)
        (self.time, self.level, self.message, self.fields) = (time, level, message, fields)
    }

    /// UTF-8 with the line's end.
    public func bytes(_ format: LogFormat) -> [UInt8] { format == .json ? json : text }

    private var json: [UInt8] {
        var line = "{\"time\":" + Self.quoted(time) + ",\"level\":" + Self.quoted(level) + ",\"event\":" + Self.quoted(event)
        line += ",\"message\":" + Self.quoted(message)
        append(to: &line) { name, value in "," + Self.quoted(name) + ":" + Self.quoted(value) }
        return Array((line + "}\n").utf8)
    }

    private var text: [UInt8] {
        var line = "\(time) \(level) \(Self.plain(event)) \(Self.quoted(message))"
        append(to: &line) { name, value in " \(Self.plain(name))=\(Self.isPlain(value) ? value : Self.quoted(value))" }
        return Array((line + "\n").utf8)
    }

    private func append(to line: inout String, _ form: (String, String) -> String) {
        var names: Set = ["time", "level", "event", "message", "omitted"]
        var omitted = 0
        for (name, value) in fields {
            var name = Self.short(name, Self.nameBytesMax)
            while !names.insert(name).inserted { name += "_" }
            let part = form(name, value)
            if line.utf8.count + part.utf8.count > Self.bytesMax - Self.reservedBytes { omitted += 1 } else { line += part }
        }
        if omitted > 0 { line += form("omitted", "\(omitted)") }
    }

    /// Quoted as in JSON, cut to ``valueBytesMax``.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in short(text, valueBytesMax).unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                if isSafe(scalar) { quoted.unicodeScalars.append(scalar) } else { quoted += escaped(scalar) }
            }
        }
        return quoted + "\""
    }

    /// `\u` and four hexadecimal digits for each UTF-16 code unit.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    /// False for control and format characters, such as marks of direction, separators, and characters without a standard meaning.
    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: false
        default: true
        }
    }

    /// Whether a value needs no quotes.
    private static func isPlain(_ text: String) -> Bool {
        (1...valueBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(isPlain)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-_.:/+@%".utf8.contains(byte)
        }
    }

    /// An underscore replaces each character that would need quotes.
    private static func plain(_ name: String) -> String {
        name.isEmpty ? "_" : String(name.unicodeScalars.map { $0.isASCII && isPlain(UInt8($0.value)) ? Character($0) : "_" })
    }

    /// Cuts between two Unicode scalars.
    private static func short(_ text: String, _ bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var (short, count) = ("", 0)
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            if count > bytes { break }
            short.unicodeScalars.append(scalar)
        }
        return short + "…"
    }
}
