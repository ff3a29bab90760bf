/// The little of SVG that charts need, written so that the same picture is the same bytes.
enum SVGText {
    /// Text as it may stand in an element or in an attribute's quotes (XML 1.0); what XML cannot hold is left out.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += " "
            case ..<" ", "\u{FFFE}", "\u{FFFF}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// One decimal is finer than a screen; the decimal point never depends on where the program runs.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    static func element(_ name: String, _ attributes: [(String, String)], _ content: String? = nil) -> String {
        let head = "<" + name + attributes.map { " \($0.0)=\"\(escaped($0.1))\"" }.joined()
        return content.map { "\(head)>\($0)</\(name)>" } ?? "\(head)/>"
    }

    static func text(_ text: String, x: Double, y: Double, anchor: String = "start", size: Double = 12) -> String {
        element(
            "text", [("x", number(x)), ("y", number(y)), ("text-anchor", anchor), ("font-size", number(size))], escaped(text))
    }
}
