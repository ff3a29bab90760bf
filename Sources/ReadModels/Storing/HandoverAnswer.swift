/// What the server did about a ``Handover``; a file in the model's folder too.
package struct HandoverAnswer: Hashable, Sendable {
    /// That it was about.
    package let generation: Generation
    /// Nil where the generation is in use now; else why not, in one line.
    package let refusal: String?

    package init(_ generation: Generation, refusal: String?) {
        self.generation = generation
        self.refusal = refusal.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
    }

    /// The file's content: one line.
    package var text: String { generation.text + " " + (refusal.map { "refused: " + $0 } ?? "in use") + "\n" }

    /// Nil for anything but ``text`` of some answer.
    package init?(text: String) {
        guard text.hasSuffix("\n"), let space = text.firstIndex(of: " "), let generation = Generation(text: String(text[..<space])) else {
            return nil
        }
        let rest = text[text.index(after: space)...].dropLast()
        if rest == "in use" {
            self.init(generation, refusal: nil)
        } else if rest.hasPrefix("refused: ") {
            self.init(generation, refusal: String(rest.dropFirst("refused: ".count)))
        } else {
            return nil
        }
    }
}
