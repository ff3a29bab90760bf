import Testing

@testable import Merkle

@Suite struct MerkleErrorTests {
    @Test("An error names its code, the detail and the remedy")
    func anErrorSaysWhatHappenedAndWhatToDo() {
        let error = MerkleError(.rootMismatch, "leaf 3")
        #expect("\(error)" == "rootMismatch: leaf 3. \(error.remedy)")
        #expect(error.remedy.contains("Trust neither"))
        #expect(error.code == .rootMismatch && error.code != .proofLength && "\(error.code)" == "rootMismatch")
    }

    /// Rejected input comes from outside, so an error must not contain it: errors are written to logs.
    @Test("An error does not contain the rejected input", arguments: ["secret\u{1B}[2J", "secret\n\nsecret"])
    func whatWasRefusedIsNotQuoted(_ text: String) {
        let attempts: [() throws -> Void] = [
            { _ = try VerifierKey(text) }, { _ = try Tile(path: text) }, { _ = try SignedNote(Array(text.utf8)) },
            { _ = try Checkpoint(text: text) }, { _ = try Receipt(Array(text.utf8)) }, { _ = try NoteSignature(line: text) },
            { _ = try Checkpoint(origin: text, size: 0, root: TreeHasher.emptyRoot) },
        ]
        for attempt in attempts {
            do {
                try attempt()
                Issue.record("nothing was refused")
            } catch { #expect(!"\(error)".contains("secret")) }
        }
    }
}
