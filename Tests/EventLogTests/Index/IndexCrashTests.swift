import EventLog
import Foundation
import Seeds
import Testing

/// Compares the index with an array of events after real crashes. A child process appends events and constantly flushes tiny parts of the
/// index. It is killed while a batch is staged and parts are frozen. The test then opens the files that the child left, queries the log,
/// and appends to it.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct IndexCrashTests {
    private static let path = ChildProcess.environment["GREENTEA_CHILD_CRASHES"]

    /// Returns the batches that the child appends in a round. The child never commits the last one.
    private static func batches(_ seed: UInt64, _ round: Int) -> [[NewEvent]] {
        var history = RandomHistory(generator: SeededRandom(seed: seed &+ UInt64(round)))
        return (0..<history.generator.int(5...40)).map { _ in history.events(history.generator.int(1...9)) }
    }

    @Test("After a crash, each answer of the index is that of a full scan", arguments: [1, 3, 20])
    func afterACrashEveryAnswerIsThatOfAFullScan(_ flush: Int) async throws {
        let generator = SeededRandom.announced("afterACrashEveryAnswerIsThatOfAFullScan(\(flush))"), seed = generator.seed
        var questions = RandomHistory(generator: generator)
        let sandbox = try Sandbox()
        var oracle = Oracle()
        for round in 0..<4 {
            let child = try ChildProcess.start(
                "childCrashes",
                ["GREENTEA_CHILD_CRASHES": sandbox.path, "GREENTEA_CHILD_ROUND": "\(seed) \(round) \(flush)"])
            await child.ended()
            #expect(child.terminationReason == .uncaughtSignal)
            for batch in Self.batches(seed, round).dropLast() { oracle.events += batch }
            try goOn(sandbox, &oracle, &questions, seed, flush: flush)
        }
    }

    /// Opens the log after a crash, queries it, appends some events and releases it, with or without closing.
    private func goOn(
        _ sandbox: Sandbox, _ oracle: inout Oracle, _ questions: inout RandomHistory, _ seed: UInt64, flush: Int
    ) throws {
        let log = try sandbox.open(options: .tiny(flush: flush, stall: flush * 3))
        for _ in 0..<20 { try oracle.expectAnswers(of: log, &questions, seed) }
        let appender = try log.appender()
        let more = questions.events(questions.generator.int(0...12))
        try appender.stage(more)
        try appender.commit()
        oracle.events += more
        for _ in 0..<5 { try oracle.expectAnswers(of: log, &questions, seed) }
        if questions.generator.oneIn(2) { try log.close() }
    }

    @Test(.enabled(if: path != nil)) func childCrashes() throws {
        let sandbox = Sandbox(path: try #require(Self.path))
        let numbers = try #require(ChildProcess.environment["GREENTEA_CHILD_ROUND"]).split(separator: " ").compactMap { UInt64($0) }
        let batches = Self.batches(numbers[0], Int(numbers[1]))
        let appender = try sandbox.open(options: .tiny(flush: Int(numbers[2]), stall: Int(numbers[2]) * 2)).appender()
        for (number, batch) in batches.enumerated() {
            try appender.stage(batch)
            if number < batches.count - 1 { try appender.commit() }
        }
        ChildProcess.crash()
    }
}
