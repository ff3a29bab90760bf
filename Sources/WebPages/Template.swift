internal import Mustache

/// The templates of `Templates/`, read once.
///
/// A page's template fills the blocks of `layout`: `{{<layout}}{{$main}}…{{/main}}{{/layout}}`. Everything is escaped, and `Tools/embed`
/// refuses a template that asks for anything else.
enum Template {
    /// They are constants of the program: that they read is tested, and it fails for everybody or nobody.
    private static let library: MustacheLibrary = {
        ScalarEscaping.register()
        var library = MustacheLibrary()
        for name in TemplateName.allCases {
            // A partial forgets the content type of the template that includes it, so each says its own.
            try? library.register("{{% CONTENT_TYPE: \(ScalarEscaping.name)}}\n" + name.text, named: name.rawValue)
        }
        return library
    }()

    /// The template with its fields filled in.
    static func render(_ name: TemplateName, _ fields: [String: Any]) -> String {
        library.render(fields, withTemplate: name.rawValue) ?? ""
    }

    /// The names of those that can be read.
    static var readable: [TemplateName] { TemplateName.allCases.filter { library.getTemplate(named: $0.rawValue) != nil } }
}

/// Escapes HTML scalar by scalar.
///
/// The library's own goes by what people see as characters: a quotation mark with an accent on it is none to it, and stays. A browser
/// takes the mark for what it is, and the attribute ends there.
struct ScalarEscaping: MustacheContentType {
    /// The name that templates call it by.
    static let name = "GREENTEA"

    /// Registers the content types. MUST be called before the first template is read.
    static func register() { MustacheContentTypes.register(ScalarEscaping(), named: name) }

    func escapeText(_ text: String) -> String {
        guard text.utf8.contains(where: Self.isMarkup) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            if let entity = Self.entity(scalar) { escaped += entity } else { escaped.unicodeScalars.append(scalar) }
        }
        return escaped
    }

    /// Bytes below 0x80 stand for themselves in UTF-8, so a text without these bytes has none of the characters.
    private static func isMarkup(_ byte: UInt8) -> Bool {
        byte == 0x3C || byte == 0x3E || byte == 0x26 || byte == 0x22 || byte == 0x27 || byte == 0x60
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
