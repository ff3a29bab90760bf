internal import Mustache

/// Escapes HTML scalar by scalar.
///
/// The library's own goes by what people see as characters: a quotation mark with an accent on it is none to it, and stays. A browser
/// takes the mark for what it is, and the attribute ends there.
struct ScalarEscaping: MustacheContentType {
    /// The name that templates call it by.
    static let name = "GREENTEA"

    /// To be called before the first template is read.
    static func register() { MustacheContentTypes.register(ScalarEscaping(), named: name) }

    func escapeText(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let entity = Self.entity(scalar) { escaped.append(contentsOf: entity.unicodeScalars) } else { escaped.append(scalar) }
        }
        return String(escaped)
    }

    private static func entity(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "<": "&lt;"
        case ">": "&gt;"
        case "&": "&amp;"
        case "\"": "&quot;"
        case "'": "&#39;"
        case "`": "&#96;"
        default: nil
        }
    }
}
