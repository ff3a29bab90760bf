/// The text of a search field, split into parts. An item matches if every part is found in it, in any order.
///
/// A part contains only letters, digits and pictures, and is put into quotation marks. So SQLite never reads a typed text as an operator or
/// a column name of its query language.
struct TextQuery: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        /// Finds a word that begins with this text.
        case prefix(String)
        /// Finds these words of the index, one directly after the other.
        case row([String])
    }

    /// The parts; empty if the text contains nothing to search for.
    let parts: [Part]

    init(_ text: String) {
        let all = TextPiece.pieces(of: text).map { piece -> Part in
            switch piece {
            case .word(let word): .prefix(word)
            case .run(let scalars): scalars.count == 1 ? .prefix(String(scalars[0])) : .row(SearchWords.pairs(scalars))
            }
        }
        // A repeated part changes no result. Without this, it would be compared with each visited row once more.
        var known: Set<Part> = []
        parts = all.filter { known.insert($0).inserted }
    }

    /// The query in the language of FTS5, SQLite's full-text index.
    var expression: String {
        parts.map { part in
            switch part {
            case .prefix(let word): "\"\(word)\" *"
            case .row(let words): "\"\(words.joined(separator: " "))\""
            }
        }.joined(separator: " AND ")
    }

    /// The strings that an item's words must contain, to check one item without the full-text index. The item's words are joined by single
    /// spaces, with a space before the first word and after the last.
    var needles: [String] {
        parts.map { part in
            switch part {
            case .prefix(let word): " " + word
            case .row(let words): " " + words.joined(separator: " ") + " "
            }
        }
    }
}

/// Turns texts into the words of SQLite's full-text index, separated by single spaces.
///
/// A run of n characters, such as a Chinese sentence, becomes n words: each character together with the next, and the last character alone.
/// A search for one character looks for words that begin with it. A search for several characters looks for consecutive words. The single
/// character at the end of a run prevents matches across two runs.
///
/// Two alternatives are worse. If each character were a word, SQLite would have to intersect long lists of positions. SQLite's trigrams
/// cannot find a word of two characters, and most Chinese words have two.
enum SearchWords {
    /// Returns the index words of several texts. A run ends with its text, so no match of a run extends from one text into the next.
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
