internal import Mustache

/// The templates of `Templates/`, embedded by the build and parsed at the first use. A page fills the blocks of `layout`:
/// `{{<layout}}{{$main}}…{{/main}}{{/layout}}`. All values are escaped; `Tools/embed` refuses a template with an unescaped one.
enum Template {
    private static let libraries: [PageLanguage: MustacheLibrary] = {
        ScalarEscaping.register()
        return Dictionary(uniqueKeysWithValues: PageLanguage.allCases.map { ($0, library(in: $0)) })
    }()

    private static func library(in language: PageLanguage) -> MustacheLibrary {
        var library = MustacheLibrary()
        for name in TemplateName.allCases {
            // A partial does not inherit the content type, so each template declares its own.
            let text = "{{% CONTENT_TYPE: \(ScalarEscaping.name)}}\n" + worded(name.text, in: language)
            try? library.register(text, named: name.rawValue)
        }
        return library
    }

    /// Replaces words without values, such as `{{t.walletTitle}}`, at once, because the library would search all surrounding values first.
    private static func worded(_ text: String, in language: PageLanguage) -> String {
        text.replacing(/\{\{t\.(\w+)\}\}/) { match in
            Word(named: String(match.1)).map { ScalarEscaping().escapeText(language.say($0)) } ?? ""
        }
    }

    static func render(_ name: TemplateName, _ fields: [String: Any], in language: PageLanguage) -> String {
        libraries[language]?.render(fields, withTemplate: name.rawValue) ?? ""
    }

    /// Templates that can be parsed in every language.
    static var readable: [TemplateName] {
        TemplateName.allCases.filter { name in libraries.values.allSatisfy { $0.getTemplate(named: name.rawValue) != nil } }
    }
}

/// Escapes HTML scalar by scalar. The library escapes grapheme clusters, and misses a quotation mark before a combining accent, at which a
/// browser ends the attribute.
struct ScalarEscaping: MustacheContentType {
    static let name = "GREENTEA"

    /// MUST be called before the first template is parsed.
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

    /// In UTF-8, bytes below 0x80 occur only as themselves.
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
