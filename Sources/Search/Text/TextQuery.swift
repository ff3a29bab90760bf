/// What somebody typed into the search field, taken apart: every part has to be found, in any order.
///
/// Nothing of what was typed reaches SQLite's query language but letters, digits and pictures inside quotation marks: there is no
/// quotation mark, operator or column name in a part.
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

    /// In the query language of FTS5.
    var expression: String {
        parts.map { part in
            switch part {
            case .prefix(let word): "\"\(word)\" *"
            case .row(let words): "\"\(words.joined(separator: " "))\""
            }
        }.joined(separator: " AND ")
    }

    /// What a document, with a space before and behind, must contain: the same question asked of one document.
    var needles: [String] {
        parts.map { part in
            switch part {
            case .prefix(let word): " " + word
            case .row(let words): " " + words.joined(separator: " ") + " "
            }
        }
    }
}
