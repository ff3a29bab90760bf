import EventLog
import Foundation
import Histories
import Testing

@testable import Projections
@testable import ReadModels

/// The files with which a tool and a server coordinate a handover.
@Suite struct HandoverFileTests {
    private let handover = Handover(
        Generation(schemaVersion: 2, number: 7), at: ModelMark(position: Position(42), fingerprint: .max), digest: "ab12", seal: "0f",
        keepsOld: true)

    private func folder() throws -> ModelFolder {
        let folder = ModelFolder(models: TestData().models, model: "small")
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        return folder
    }

    @Test("A handover and an answer are read from their texts as they were written")
    func everyTextIsReadAgain() {
        let others = [
            handover, Handover(handover.generation, at: .start, digest: "", seal: "", keepsOld: false),
        ]
        for handover in others { #expect(Handover(text: handover.text) == handover) }
        for refusal in [nil, "", "because", "in use", "two\nlines"] {
            let answer = HandoverAnswer(handover.generation, refusal: refusal)
            #expect(HandoverAnswer(text: answer.text) == answer)
        }
    }

    @Test("A truncated handover or answer is invalid, as is a handover with an extra line or an impossible value")
    func invalidText() {
        for count in 0..<handover.text.count { #expect(Handover(text: String(handover.text.prefix(count))) == nil) }
        #expect(Handover(text: handover.text + "more\n") == nil)
        #expect(Handover(text: handover.text.replacingOccurrences(of: "position 42", with: "position -1")) == nil)
        #expect(Handover(text: handover.text.replacingOccurrences(of: "v2-g7", with: "../log")) == nil)
        let answer = HandoverAnswer(handover.generation, refusal: nil).text
        for count in 0..<answer.count { #expect(HandoverAnswer(text: String(answer.prefix(count))) == nil) }
    }

    @Test("A request is either withdrawn or taken, and a new request has no answer yet")
    func withdrawnOrTaken() throws {
        let files = HandoverFiles(in: try folder())
        #expect(!files.isAsked && !files.withdraw() && !files.take() && files.asked == nil)
        try files.ask(handover)
        #expect(files.isAsked && files.asked == handover)
        #expect(files.withdraw())
        #expect(!files.take(), "a withdrawn request cannot be taken")
        try files.ask(handover)
        #expect(files.take())
        #expect(!files.withdraw() && files.isTaken, "a taken request cannot be withdrawn")
        try files.reply(HandoverAnswer(handover.generation, refusal: nil))
        #expect(files.answered?.refusal == nil && files.answered != nil && !files.isTaken)
        try files.ask(handover)
        #expect(files.answered == nil, "a new request has no answer yet")
        files.clear()
        #expect(!files.isAsked && !files.isTaken && files.answered == nil)
    }

    @Test("A request whose answer cannot be written is removed, so that nobody waits for the answer")
    func anUnwritableAnswerEndsTheRequest() throws {
        let folder = try folder()
        let files = HandoverFiles(in: folder)
        try files.ask(handover)
        #expect(files.isAsked && files.take() && files.isTaken)
        // No file can replace a folder.
        try FileManager.default.createDirectory(atPath: folder.path + "/handover.answer", withIntermediateDirectories: false)
        #expect(throws: ReadModelError.self) { try files.reply(HandoverAnswer(handover.generation, refusal: "because")) }
        #expect(!files.isAsked && !files.isTaken && files.answered == nil)
        try files.ask(handover)
        #expect(files.take())
        try files.reply(HandoverAnswer(handover.generation, refusal: "because"))
        #expect(files.answered?.refusal == "because")
    }

    @Test("The previous pointer names the generation before the current one, also after repeated and reversed switches")
    func pointers() throws {
        let folder = try folder()
        let generations = (1...3).map { Generation(schemaVersion: 1, number: $0) }
        for generation in generations {
            try FileManager.default.createDirectory(atPath: folder.path(of: generation), withIntermediateDirectories: true)
            try folder.switchOver(to: generation)
        }
        #expect(folder.current == generations[2] && folder.previous == generations[1])
        try folder.removeStrays()
        #expect(folder.generations == Array(generations[1...]))
        // The switch to the same generation is repeated, as after a crash between the switch and the answer to the tool.
        try folder.switchOver(to: generations[2])
        #expect(folder.current == generations[2] && folder.previous == generations[1])
        try folder.switchOver(to: generations[1])
        #expect(folder.current == generations[1] && folder.previous == generations[2])
        #expect(try folder.forgetPrevious() == generations[2])
        #expect(folder.generations == [generations[1]] && folder.previous == nil)
        #expect(try folder.forgetPrevious() == nil)
    }
}
