/// The forms in which events are logged.
public enum LogFormat: String, CaseIterable, Sendable {
    /// The form for people: `TIME LEVEL EVENT "message" name=value …`.
    case text
    /// The form for programs: one JSON object a line, in which all values are strings.
    case json
}

/// One line of the log. Its bytes depend only on its parts and on the form.
///
/// The texts in a line come from clients, files and other programs, so they may be hostile. No text can end the line, start another field,
/// move a terminal's cursor or contain a mark that changes the direction of writing. No text can make a line longer than
/// ``LogLine/bytesMax``.
public struct LogLine: Sendable {
    /// Maximum bytes of a message or of a field's value, before it is escaped. A longer text is cut, and `…` is added.
    public static let valueBytesMax = 2_048
    /// Maximum bytes of the name of an event or a field. A longer name is cut, and `…` is added, in the text form `_`.
    public static let nameBytesMax = 64
    /// Maximum bytes of a line. Fields that do not fit are left out, and the field `omitted` tells their number.
    public static let bytesMax = 32_768
    /// Bytes of a line that are reserved for the field `omitted` and the line's end.
    private static let reservedBytes = 64

    /// The time in the form of RFC 3339, in UTC.
    let time: String
    let level: String
    let event: String
    let message: String
    /// The fields, in the order in which they are written.
    let fields: [(name: String, value: String)]

    public init(time: String, level: String, event: String, message: String, fields: [(name: String, value: String)]) {
        // A library can log metadata that is named like the event's key, so an event's name may be any text, of any length.
        self.event = Self.short(event, Self.nameBytesMax)
        (self.time, self.level, self.message, self.fields) = (time, level, message, fields)
    }

    /// The line with its end, in UTF-8.
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

    /// The text in quotation marks, as in JSON, cut to ``valueBytesMax``.
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

    /// The scalar as JSON escape sequences: `\u` and four hexadecimal digits for each UTF-16 code unit.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }

    /// Whether a scalar may be written unescaped. Control characters, separators of lines and paragraphs, format characters such as marks
    /// of direction, and characters without a standard meaning may not.
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

    /// The name of a field or an event, with an underscore in place of each character that would need quotation marks.
    private static func plain(_ name: String) -> String {
        name.isEmpty ? "_" : String(name.unicodeScalars.map { $0.isASCII && isPlain(UInt8($0.value)) ? Character($0) : "_" })
    }

    /// Shortens a text that is longer than `bytes` bytes. It is cut between two Unicode scalars, and `…` is added.
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
