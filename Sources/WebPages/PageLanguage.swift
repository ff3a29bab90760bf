/// The languages of pages, by their tags in HTML.
public enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh-Hans"

    /// In the language itself.
    var name: String { self == .english ? "English" : "简体中文" }
}

extension PageLanguage {
    /// The text of a word in this language.
    ///
    /// - Parameters:
    ///   - count: replaces `{count}` and selects singular or plural.
    ///   - values: replacements of other placeholders, unescaped, because templates escape the result.
    package func say(_ word: Word, count: Int? = nil, _ values: [String: String] = [:]) -> String {
        let forms = Self.forms(of: word, in: self)
        guard let form = count == 1 ? forms.first : forms.last else { return word.rawValue }
        guard count != nil || !values.isEmpty else { return form }
        var values = values
        values["count"] = count.map(String.init)
        return Self.filled(form, with: values)
    }

    /// For example `A, B and C`.
    func list(_ names: [String]) -> String {
        guard self == .english, let last = names.last, names.count > 1 else { return names.joined(separator: "、") }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// In a single pass, so that braces in a value stay as they are.
    private static func filled(_ form: String, with values: [String: String]) -> String {
        var (filled, rest) = ("", form[...])
        while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
            let name = String(rest[rest.index(after: start)..<end])
            filled += rest[..<start] + (values[name] ?? String(rest[start...end]))
            rest = rest[rest.index(after: end)...]
        }
        return filled + rest
    }

    private static func forms(of word: Word, in language: PageLanguage) -> [String] {
        guard let index = indices[word] else { return [] }
        return language == .english ? Word.english[index] : Word.chinese[index]
    }

    private static let indices = Dictionary(uniqueKeysWithValues: Word.allCases.enumerated().map { ($1, $0) })

    /// The words that scripts use.
    var wordsPath: String { Asset.path(of: "words.\(rawValue).js") }
}
