/// Comments name their subject first, and use the words that an engineer expects.
///
/// A doc comment that begins with a relative clause ("What a shop…") makes the reader wait for its noun. The phrases below were the ones
/// that readers had to read twice.
struct PlainWords: Rule {
    let name = "plain-words"

    private static let openings: Set<Substring> = ["What", "Who", "Whoever", "Whose", "Of", "That", "Where"]
    private static let phrases = [
        "is told", "somebody asks", "lets go", "has come to", "looks through", "who waits", "whoever", "as good as",
    ]

    /// Folders whose comments are not rewritten yet.
    private static let unwritten: [String] = []

    let good = [
        SourceFile(path: "Sources/A/A.swift", text: "/// The answer to a request.\n///\n/// What is absent stays as it is.\nstruct A {}\n"),
        SourceFile(path: "Sources/A/A.swift", text: "let a = \"whoever\"\n"),
    ]
    let bad = [
        SourceFile(path: "Sources/A/A.swift", text: "/// What a request is answered.\nstruct A {}\n"),
        SourceFile(path: "Sources/A/A.swift", text: "// Whoever asks again gets this.\n"),
        SourceFile(path: "Sources/A/A.swift", text: "/// Kept for whoever asks again.\nstruct A {}\n"),
    ]

    func findings(in file: SourceFile) -> [Finding] {
        guard file.isSwift, !Self.unwritten.contains(where: { file.path.hasPrefix($0) }) else { return [] }
        var (found, isGoingOn): ([Finding], Bool) = ([], false)
        for (index, line) in file.lines.enumerated() {
            // A comment on a line of its own; `code` has it blanked, a string literal of several lines has code around it.
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("//"), file.code[index].allSatisfy({ $0 == " " }) else {
                isGoingOn = false
                continue
            }
            let words = text.drop { $0 == "/" }.drop { $0 == " " }
            let first = words.prefix { $0.isLetter }
            if !isGoingOn, Self.openings.contains(first) {
                found.append(finding(file, line: index + 1, "begin with the subject, not with `\(first)`"))
            }
            if let phrase = Self.phrases.first(where: { Self.contains($0, in: words) }) {
                found.append(finding(file, line: index + 1, "say it in plain words, without `\(phrase)`"))
            }
            isGoingOn = true
        }
        return found
    }

    /// Whether a phrase stands in a text as whole words.
    private static func contains(_ phrase: String, in text: Substring) -> Bool {
        text.ranges(of: phrase).contains { range in
            (range.lowerBound == text.startIndex || !text[text.index(before: range.lowerBound)].isLetter)
                && (range.upperBound == text.endIndex || !text[range.upperBound].isLetter)
        }
    }
}
