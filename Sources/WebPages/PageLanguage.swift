/// The languages that the service writes, by their tags in HTML and HTTP (BCP 47).
public enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh-Hans"

    /// In the language itself.
    var name: String { self == .english ? "English" : "简体中文" }

    /// The words that scripts use.
    var wordsPath: String { Asset.path(of: "words.\(rawValue).js") }
}

extension PageLanguage {
    /// The language that a reader prefers by an `Accept-Language` header (RFC 9110, 12.5.4): the one with the highest weight, then the one
    /// named first, then English.
    public init(accepting header: String?) {
        let ranges = LanguageRange.all(in: header ?? "")
        var best = (language: PageLanguage.english, weight: 0.0, place: 0)
        for language in Self.allCases {
            guard let (place, range) = language.range(in: ranges) else { continue }
            if (range.weight, -place) > (best.weight, -best.place) { best = (language, range.weight, place) }
        }
        self = best.language
    }

    private func range(in ranges: [LanguageRange]) -> (Int, LanguageRange)? {
        let covering = ranges.filter { $0.covers(self) }.max { $0.tag.count < $1.tag.count }
        if covering?.weight == 0 { return nil }
        let accepted = ranges.enumerated().filter { $0.element.weight > 0 }
        let near = accepted.filter { $0.element.isNear(self) }
        // Equal weights: the first.
        let found = (near.isEmpty ? accepted.filter { $0.element.tag == "*" } : near).max {
            ($0.element.weight, -$0.offset) < ($1.element.weight, -$1.offset)
        }
        return found.map { ($0.offset, $0.element) }
    }
}

/// Such as `zh-TW;q=0.8`.
private struct LanguageRange {
    /// Honest clients do not list more.
    private static let rangesMax = 32

    /// In lower case.
    let tag: String
    /// 0 for a language that the reader does not accept, and for a weight that is none.
    let weight: Double

    static func all(in header: String) -> [LanguageRange] {
        header.lowercased().filter { $0 != " " && $0 != "\t" }.split(separator: ",").prefix(rangesMax).compactMap { LanguageRange($0) }
    }

    private init?(_ text: Substring) {
        let parts = text.split(separator: ";")
        guard let tag = parts.first else { return nil }
        let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
        (self.tag, self.weight) = (String(tag), (0...1).contains(weight) ? weight : 0)
    }

    /// Whether the range names the language or a group that it belongs to: `zh` and `zh-hans` cover `zh-Hans`, and `zh-tw` does not.
    func covers(_ language: PageLanguage) -> Bool { (language.rawValue.lowercased() + "-").hasPrefix(tag + "-") }

    /// Whether the language's words are the nearest ones that a reader of this range can get: a region or a script that has no words of its
    /// own, such as `en-GB` or `zh-Hant`, gets those of its language.
    func isNear(_ language: PageLanguage) -> Bool { Self.primary(tag) == Self.primary(language.rawValue.lowercased()) }

    private static func primary(_ tag: String) -> Substring { tag.prefix { $0 != "-" } }
}

extension PageLanguage {
    /// Values replace placeholders unescaped, because templates escape the result; `count` also selects singular or plural.
    package func say(_ word: Word, count: Int? = nil, _ values: [String: String] = [:]) -> String {
        let forms = word.forms(in: self)
        let form = count == 1 ? forms[0] : forms[forms.count - 1]
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
}

extension Word {
    /// Nil if there is no such case.
    init?(named name: String) {
        guard let word = Self.named[name] else { return nil }
        self = word
    }

    private static let named = Dictionary(uniqueKeysWithValues: allCases.map { ("\($0)", $0) })

    fileprivate func forms(in language: PageLanguage) -> [String] {
        (language == .english ? Self.englishForms : Self.chineseForms)[rawValue]
    }

    private static let englishForms = forms(english), chineseForms = forms(chinese)

    private static func forms(_ lines: String) -> [[String]] {
        lines.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
    }
}
