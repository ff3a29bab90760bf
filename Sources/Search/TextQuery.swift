/// The text of a search field, split into parts, all of which must be found, in any order.
///
/// A part has only letters, digits and pictures and is quoted, so SQLite never reads typed text as an operator or a column name.
struct TextQuery: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// A word that begins with this text.
        case prefix(String)
        /// These words of the index, directly one after the other.
        case row([String])
    }

    let parts: [Part]

    init(_ text: String) {
        let all = TextPiece.pieces(of: text).map { piece -> Part in
            switch piece {
            case .word(let word): .prefix(word)
            case .run(let scalars): scalars.count == 1 ? .prefix(String(scalars[0])) : .row(SearchWords.pairs(scalars))
            }
        }
        // A repeated part changes no result, but would cost a comparison for each row.
        var known: Set<Part> = []
        parts = all.filter { known.insert($0).inserted }
    }

    var expression: String {
        parts.map { part in
            switch part {
            case .prefix(let word): "\"\(word)\" *"
            case .row(let words): "\"\(words.joined(separator: " "))\""
            }
        }.joined(separator: " AND ")
    }

    /// An item's words are joined, preceded and followed by single spaces.
    var needles: [String] {
        parts.map { part in
            switch part {
            case .prefix(let word): " " + word
            case .row(let words): " " + words.joined(separator: " ") + " "
            }
        }
    }
}

/// Turns texts into words of SQLite's full-text index, separated by single spaces.
///
/// A run of n characters becomes n words: each character with the next, and the last alone, which prevents matches across runs. SQLite's
/// trigrams cannot find words of two characters, as most Chinese words have.
enum SearchWords {
    /// The index words of several texts. No match of a run extends into the next text.
    static func document(_ texts: String...) -> String { texts.flatMap(TextPiece.pieces).flatMap(words).joined(separator: " ") }

    private static func words(of piece: TextPiece) -> [String] {
        switch piece {
        case .word(let word): [word]
        case .run(let scalars): pairs(scalars) + [String(scalars[scalars.count - 1])]
        }
    }

    static func pairs(_ scalars: [Unicode.Scalar]) -> [String] {
        zip(scalars, scalars.dropFirst()).map { String($0) + String($1) }
    }
}
