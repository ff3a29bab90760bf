/// Finds declarations in masked code by their keywords, which is no parser but suffices for the rules.
enum Declarations {
    private static let modifiers: Set<String> = [
        "public", "package", "internal", "fileprivate", "private", "open", "final", "static", "class", "mutating", "nonmutating",
        "consuming", "borrowing", "override", "convenience", "required", "indirect", "nonisolated", "isolated", "lazy", "weak",
        "dynamic", "unsafe", "nonisolated(unsafe)", "private(set)", "internal(set)", "package(set)", "fileprivate(set)",
    ]
    private static let kinds: Set<String> = [
        "struct", "class", "enum", "actor", "protocol", "func", "var", "let", "init", "deinit", "subscript", "typealias", "extension",
        "case", "associatedtype", "import",
    ]

    /// A declaration that begins on one line of masked code.
    struct Declaration {
        let kind: String
        /// Without a name, the keyword or operator, such as `init` or `==`.
        let name: String
        let modifiers: Set<String>

        /// Whether other targets can use the declaration.
        var isVisible: Bool { !modifiers.isDisjoint(with: ["public", "package", "open"]) }
        /// Whether the declaration is a type after which a file may be named.
        var isType: Bool { ["struct", "class", "enum", "actor", "protocol"].contains(kind) }
        /// Whether the declaration has a body of statements, whose length is limited.
        var isFunction: Bool { ["func", "init", "deinit", "subscript"].contains(kind) }
    }

    static func declaration(in line: String) -> Declaration? {
        var found: Set<String> = []
        var words = Words(line)
        while let word = words.next() {
            if word == "class", let next = words.peek(), modifiers.contains(next) || kinds.contains(next) {
                found.insert(word)
            } else if kinds.contains(word) {
                return Declaration(kind: word, name: words.next() ?? word, modifiers: found)
            } else if modifiers.contains(word) || word.hasPrefix("@") {
                found.insert(word)
            } else {
                return nil
            }
        }
        return nil
    }

    /// The last line of a declaration's body; nil without a body. A protocol's requirement has none, so the search ends at the next
    /// declaration.
    static func endOfBody(from line: Int, in code: [String]) -> Int? {
        var depth = 0
        var parentheses = 0
        for index in line..<code.count {
            if index > line, depth == 0, parentheses == 0, declaration(in: code[index]) != nil { return nil }
            for character in code[index].utf8 {
                switch character {
                case UInt8(ascii: "("): parentheses += 1
                case UInt8(ascii: ")"): parentheses -= 1
                case UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "}"):
                    depth -= 1
                    if depth < 0 { return nil }
                    if depth == 0, parentheses <= 0 { return index }
                default: break
                }
            }
        }
        return nil
    }
}

/// Splits a line into words: attributes and modifiers with their arguments, names, and operators.
struct Words {
    private var rest: Substring

    init(_ line: String) { rest = line[...] }

    /// The next word, without consuming it.
    func peek() -> String? {
        var copy = self
        return copy.next()
    }

    /// Nil at the end of the line or before an opening parenthesis, unless it belongs to `@attribute`, `private` or `nonisolated`.
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
