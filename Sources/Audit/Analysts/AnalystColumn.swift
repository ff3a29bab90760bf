/// A column of a table for analysts.
struct AnalystColumn: Sendable {
    let name: String
    let type: AnalystType
    /// One sentence: what it says, in which unit, and when there is no value.
    let about: String

    init(_ name: String, _ type: AnalystType, _ about: String) {
        (self.name, self.type, self.about) = (name, type, about)
    }

    /// A name of the code as SQL writes them: `codeSecret` becomes `code_secret`, `card-progress` `card_progress`.
    static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { text, character in
            if character.isUppercase { text += "_" }
            text += character == "-" ? "_" : character.lowercased()
        }
    }
}
