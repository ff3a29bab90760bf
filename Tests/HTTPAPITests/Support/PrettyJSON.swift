/// Indents JSON that is known to be valid, and keeps the order of its fields.
enum PrettyJSON {
    static func text(_ bytes: [UInt8]) -> String {
        var out = ""
        var depth = 0
        var isInString = false
        var isEscaped = false
        var previous: Character = " "
        for character in String(decoding: bytes, as: UTF8.self) {
            if isInString {
                out.append(character)
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isInString = false
                }
                continue
            }
            switch character {
            case "{", "[":
                if previous == "{" || previous == "[" { newLine(&out, depth) }
                out.append(character)
                depth += 1
            case "}", "]":
                depth -= 1
                if previous != "{" && previous != "[" { newLine(&out, depth) }
                out.append(character)
            case ",":
                out.append(character)
                newLine(&out, depth)
            case ":": out += ": "
            default:
                if previous == "{" || previous == "[" { newLine(&out, depth) }
                out.append(character)
                isInString = character == "\""
            }
            previous = character
        }
        return out
    }

    private static func newLine(_ out: inout String, _ depth: Int) {
        out += "\n" + String(repeating: "  ", count: depth)
    }
}
