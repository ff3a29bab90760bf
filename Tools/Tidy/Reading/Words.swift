/// Splits a line of code into words: attributes with their arguments, modifiers with theirs, names, and operators.
struct Words {
    private var rest: Substring

    init(_ line: String) {
        rest = line[...]
    }

    /// The next word without taking it.
    func peek() -> String? {
        var copy = self
        return copy.next()
    }

    /// The next word; what stands in parentheses right after `@attribute`, `private` or `nonisolated` belongs to it.
    mutating func next() -> String? {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard let first = rest.first else { return nil }
        var word = take { Self.isNamePart($0) || $0 == "@" }
        if word.isEmpty { return first == "(" ? nil : take { $0 != " " && $0 != "(" && !Self.isNamePart($0) } }
        if rest.first == "(", word.hasPrefix("@") || ["private", "internal", "package", "fileprivate", "nonisolated"].contains(word) {
            word += take { $0 != ")" } + ")"
            rest = rest.dropFirst()
        }
        return word
    }

    private mutating func take(while belongs: (Character) -> Bool) -> String {
        let part = rest.prefix(while: belongs)
        rest = rest.dropFirst(part.count)
        return String(part)
    }

    private static func isNamePart(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_" || character == "`"
    }
}
