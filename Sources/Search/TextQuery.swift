/// The text of a search field, split into parts. Every part has to be found, in any order.
///
/// Only letters, digits and pictures inside quotation marks reach SQLite's query language: a part contains no quotation mark, operator or
/// column name.
struct TextQuery: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// A word with this beginning.
        case prefix(String)
        /// Consecutive words in the index.
        case row([String])
    }

    /// The parts; empty if the text contains nothing to search for.
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

    /// This query as a test of one document: the text of its words, with a space before the first and after the last word, must contain
    /// each of these strings.
    var needles: [String] {
        parts.map { part in
            switch part {
            case .prefix(let word): " " + word
            case .row(let words): " " + words.joined(separator: " ") + " "
            }
        }
    }
}

/// The words under which a text is found, in the form given to SQLite's full-text index: separated by single spaces.
///
/// A run of n characters becomes n words: each character together with the next one, and the last one alone. So a search for one character
/// is a search for words that begin with it, and a search for several is for consecutive words. The single last character separates two
/// runs. With single characters as words, SQLite would have to intersect long lists by position. With its trigrams, two-character words
/// could not be found, and most Chinese words have two characters.
enum SearchWords {
    /// The words of several texts, so that no match extends from one text into the next.
    static func document(_ texts: String...) -> String {
        texts.flatMap(TextPiece.pieces).flatMap(words).joined(separator: " ")
    }

    private static func words(of piece: TextPiece) -> [String] {
        switch piece {
        case .word(let word): [word]
        case .run(let scalars): pairs(scalars) + [String(scalars[scalars.count - 1])]
        }
    }

    /// Each character together with the next one.
    static func pairs(_ scalars: [Unicode.Scalar]) -> [String] {
        zip(scalars, scalars.dropFirst()).map { String($0) + String($1) }
    }
}
