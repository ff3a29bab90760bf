/// The text of a search field, split into parts. Every part has to be found, in any order.
///
/// Only letters, digits and pictures inside quotation marks reach SQLite's query language: a part contains no quotation mark, operator or
/// column name.
struct TextQuery: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// A word that begins so.
        case prefix(String)
        /// Words that stand in a row.
        case row([String])
    }

    /// None where there was nothing that could be looked for.
    let parts: [Part]

    init(_ text: String) {
        parts = TextPiece.pieces(of: text).map { piece in
            switch piece {
            case .word(let word): .prefix(word)
            case .run(let scalars): scalars.count == 1 ? .prefix(String(scalars[0])) : .row(SearchWords.pairs(scalars))
            }
        }
    }

    /// The query in the query language of FTS5.
    var expression: String {
        parts.map { part in
            switch part {
            case .prefix(let word): "\"\(word)\" *"
            case .row(let words): "\"\(words.joined(separator: " "))\""
            }
        }.joined(separator: " AND ")
    }

    /// The strings that a document must contain, with a space before and behind it: the same query as a test of one document.
    var needles: [String] {
        parts.map { part in
            switch part {
            case .prefix(let word): " " + word
            case .row(let words): " " + words.joined(separator: " ") + " "
            }
        }
    }
}

/// The words under which a text is found, as SQLite's full-text index gets them: separated by spaces, nothing else between.
///
/// A run of n characters becomes n words: each character with the one that follows, the last alone. So a search for one character is
/// one for words that begin with it, and a search for several is one for words that stand in a row; the lone last one keeps two runs
/// apart. Unlike with single characters as words, SQLite need not intersect long lists by place; unlike with its trigrams, words of
/// two characters are found, which most Chinese words are.
enum SearchWords {
    /// The words of several texts, which do not run into each other.
    static func document(_ texts: String...) -> String {
        texts.flatMap(TextPiece.pieces).flatMap(words).joined(separator: " ")
    }

    private static func words(of piece: TextPiece) -> [String] {
        switch piece {
        case .word(let word): [word]
        case .run(let scalars): pairs(scalars) + [String(scalars[scalars.count - 1])]
        }
    }

    /// Each character with the next.
    static func pairs(_ scalars: [Unicode.Scalar]) -> [String] {
        zip(scalars, scalars.dropFirst()).map { String($0) + String($1) }
    }
}
