import Dispatch
import Foundation
import Glibc
import Merkle
import Patience
import SharedLogs
import Synchronization
import Testing

@testable import EventLog

/// Sources that answer wrongly, late or not at all, and logs without room. Nothing wrong is visible, and each end has a name.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct FollowedSourceTests {
    private let engine = MemorySharedLog()

    /// Stored entries of two events each.
    private func entries(_ count: Int, payload: Int = 0) throws -> [[UInt8]] {
        let node = try Node(.a, engine)
        try node.claim()
        for number in 0..<count {
            let tag = card(UInt128(number)), bytes = [UInt8](repeating: 7, count: payload)
            try node.append(event(.opened, tag, payload: bytes), event(.stamped, tag))
        }
        return engine.entries.map(\.bytes)
    }

    private func resealed(_ entry: [UInt8], key: EntryKey = .forTests, _ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
        var bytes = Array(entry.dropLast(32))
        change(&bytes)
        return bytes + key.code(of: bytes[...])
    }

    /// A wrong answer after the first two events.
    enum Wrong: CaseIterable, Sendable {
        case garbage, empty, code, secret, origin, laterFormat, before, after, record, repeated, overlapping, outOfOrder
        case gapInside, recordOfNoVersion

        var failure: EventLogError.Code {
            switch self {
            case .laterFormat, .recordOfNoVersion: .formatTooNew
            default: .logMismatch
            }
        }

        /// An answer counts until a gap, whose events another source may have.
        var end: Position {
            switch self {
            case .outOfOrder, .gapInside: Position(4)
            default: Position(2)
            }
        }
    }

    private func answer(_ wrong: Wrong, _ stored: [[UInt8]]) -> [[UInt8]] {
        let next = stored[1]
        return switch wrong {
        case .garbage: [Array(repeating: 1, count: 1_000)]
        case .empty: [[]]
        case .code: [next.dropLast() + [next[next.count - 1] ^ 1]]
        case .secret: [resealed(next, key: EntryKey(secret: Array(1..<33), log: "log.example/tea"))]
        case .origin: [resealed(next, key: EntryKey(secret: Array(0..<32), log: "log.example/coffee"))]
        case .laterFormat: [resealed(next) { $0[0] = 2 }]
        case .before: [resealed(next) { $0[24] ^= 1 }]
        case .after: [resealed(next) { $0[56] ^= 1 }]
        // The time of the first record.
        case .record: [resealed(next) { $0[90 + 8] ^= 1 }]
        case .repeated: [stored[0]]
        // It begins with the last event that the log has.
        case .overlapping: [resealed(next) { $0[16] -= 1 }]
        case .outOfOrder: [stored[1], stored[3], stored[2]]
        case .gapInside: [stored[1], stored[3]]
        case .recordOfNoVersion: [resealed(next) { $0[90] = 9 }]
        }
    }

    @Test("A wrong answer ends the follower by name, and none of it is visible", arguments: Wrong.allCases)
    func wrongAnswers(_ wrong: Wrong) async throws {
        let stored = try entries(4)
        let answer = answer(wrong, stored)
        let following = try Following(ScriptedSource { call, _ in call == 0 ? [stored[0]] : answer })
        try await following.expectFailure(wrong.failure, at: wrong.end)
    }

    @Test("An event of an unknown type ends the follower by name, and a program that knows it resumes there")
    func unknownType() async throws {
        let sandbox = try Sandbox(), node = try Node(.a, engine)
        try node.claim()
        try node.append(event(.opened, card(1)))
        try node.append(event(.closed, card(1)))
        let old = Schema(types: [.opened: "Opened"], tagKinds: [.card: TagKindRule(name: "card")])
        try await expectRefusal(by: old, in: sandbox)
        let following = try Following(engine, in: sandbox)
        try await following.reaches(Position(2))
    }

    private func expectRefusal(by schema: Schema, in sandbox: Sandbox) async throws {
        let following = try Following(
            ScriptedSource { [engine] _, after in [engine.entries[Int(after.rawValue)].bytes] }, in: sandbox, schema: schema)
        try await following.expectFailure(.schemaConflict, at: Position(1))
    }

    @Test(
        "A final error of the source ends the follower", arguments: [EventLogError.Code.afterBeyondHead, .engineBehind, .logMismatch, .io])
    func finalErrors(_ code: EventLogError.Code) async throws {
        let source = ScriptedSource { _, _ throws(EventLogError) in throw EventLogError(code, "injected") }
        let following = try Following(source)
        try await following.expectFailure(code)
        #expect(source.calls.count == 1)
    }

    @Test("A follower that needs trimmed entries ends by name, without a second source")
    func trimmed() async throws {
        _ = try entries(5)
        try engine.trim(through: Position(4))
        let following = try Following(engine)
        try await following.expectFailure(.trimmed)
        #expect(following.failures[0].position == Position(1) && following.failures[0].detail.contains("1 to 4"))
    }

    @Test("A follower with more events than a shared log that was rolled back or lost ends by name", arguments: [4, 0] as [UInt64])
    func behindItsReader(_ left: UInt64) async throws {
        _ = try entries(3)
        let sandbox = try Sandbox()
        try await followAll(in: sandbox)
        if left == 0 { engine.removeEverything() } else { engine.rollBack(to: Position(left)) }
        let following = try Following(engine, in: sandbox)
        try await following.expectFailure(.engineBehind, at: Position(6))
        #expect(following.follower.status.secondsBehind == nil, "never taken for current")
    }

    private func followAll(in sandbox: Sandbox) async throws {
        let following = try Following(engine, in: sandbox)
        try await following.reaches(Position(6))
        await following.follower.shutDown()
    }

    @Test("Trimmed entries come from the second source, and the rest from the first")
    func fallback() async throws {
        let node = try Node(.a, engine)
        try node.claim()
        for number in 0..<10 { try node.append(event(.opened, card(UInt128(number)))) }
        try engine.trim(through: Position(6))
        let (peer, answers) = (LogSource(log: node.log, entryBytesMax: 1), Shared(0))
        // Without an answer at first, then behind, and then without a part of the events.
        let second = ScriptedSource { call, after throws(EventLogError) in
            if call < 3 { throw EventLogError(.unreachable, "injected") }
            if call < 5 { throw EventLogError(call == 3 ? .afterBeyondHead : .engineBehind, "injected") }
            if call < 7 || after >= Position(8) { return [] }
            answers.update { $0 += 1 }
            return try peer.entries(after: after, bytes: .max)
        }
        let following = try Following(engine, fallback: second)
        try await following.reaches(Position(10))
        #expect(answers.value == 8)
        try node.append(event(.closed, card(1)))
        try await following.reaches(Position(11))
        #expect(following.failures.isEmpty && following.follower.status.failure == nil)
        try expectEqual(following.log, node.log)
    }

    @Test("A wrong entry of the second source ends the follower, too")
    func wrongFallback() async throws {
        let stored = try entries(3)
        try engine.trim(through: Position(2))
        let following = try Following(engine, fallback: ScriptedSource { [self] _, _ in [resealed(stored[0]) { $0[56] ^= 1 }] })
        try await following.expectFailure(.logMismatch)
    }

    @Test("A source without an answer is asked again, and a stop ends the pause")
    func unreachable() async throws {
        let source = ScriptedSource { [engine] call, after throws(EventLogError) in
            if call < 20 { throw EventLogError(.unreachable, "injected") }
            return try engine.entries(after: after, bytes: .max)
        }
        _ = try entries(2)
        try await Following(source).reaches(Position(4))
        let down = ScriptedSource { _, _ throws(EventLogError) in throw EventLogError(.unreachable, "injected") }
        let following = try Following(down, pauseSeconds: 1e9)
        try await eventually("the source was asked") { following.follower.status.failure != nil }
        await following.follower.shutDown()
        #expect(down.calls.count == 1 && following.failures.isEmpty && !following.follower.status.hasFailed)
        #expect(try following.log.appender().head == .start)
    }

    @Test("Empty answers and answers with more than was asked for are followed up without loss")
    func answerSizes() async throws {
        let stored = try entries(60, payload: 40_000)
        // Empty before each answer, which then has everything.
        let source = ScriptedSource { call, after in call % 2 == 0 ? [] : Array(stored.dropFirst(Int(after.rawValue / 2))) }
        let following = try Following(source)
        try await following.reaches(Position(120))
        await following.follower.shutDown()
        let steps = Set(source.calls).sorted()
        for (step, next) in zip(steps, steps.dropFirst()) {
            #expect((next.rawValue - step.rawValue) / 2 * 40_000 <= LogLimits.sharedBatchBytesMax, "from \(step) to \(next)")
        }
        try expectSameLog(from: engine, as: following.log)
    }

    @Test("An answer that comes after the stop has begun is not adopted, and the stop waits for it")
    func lateAnswer() async throws {
        let stored = try entries(1)
        let (follower, isKnown) = (Shared<LogFollower?>(nil), DispatchSemaphore(value: 0))
        let source = ScriptedSource { _, _ in
            _ = isKnown.wait(timeout: .now() + patienceSeconds)
            follower.value?.beginStop()
            return [stored[0]]
        }
        let following = try Following(source)
        follower.value = following.follower
        isKnown.signal()
        // A follower that is stopped before its first call asks for nothing.
        try await eventually("the source is asked") { source.calls.count == 1 }
        await following.follower.shutDown()
        follower.value = nil
        #expect(following.log.head == .start && source.calls.count == 1 && following.failures.isEmpty)
        #expect(try following.log.appender().head == .start)
    }

    @Test("A full map ends the follower by name with nothing of the entry stored, and a larger one lets it resume")
    func fullMap() async throws {
        _ = try entries(30, payload: 20_000)
        let sandbox = try Sandbox()
        let head = try await fill(sandbox)
        let following = try Following(engine, in: sandbox)
        #expect(following.log.head >= head)
        try await following.reaches(Position(60))
    }

    private func fill(_ sandbox: Sandbox) async throws -> Position {
        var options = EventLog.Options.tiny(flush: 5)
        options.map.bytes = 1 << 18
        let source = ScriptedSource { [engine] _, after in [engine.entries[Int(after.rawValue / 2)].bytes] }
        let following = try Following(source, in: sandbox, options: options)
        try await eventually("the follower fails") { !following.failures.isEmpty }
        let head = following.log.head
        try await following.expectFailure(.storage, at: head)
        #expect(following.failures[0].isOutOfSpace && head > .start && head.rawValue % 2 == 0)
        return head
    }

    /// A limit on the file size simulates a full disk: the same system calls fail.
    @Test("A full disk pauses the follower with nothing of the entry stored, until there is room")
    func fullDisk() async throws {
        let path = try Sandbox().path
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var (edge, entries) = (TreeEdge(), [[UInt8]]())
            for number in 0..<60 {
                var batch = EncodedBatch(first: Position(UInt64(number + 1)))
                try batch.append(event(.noted, card(UInt128(number)), payload: [UInt8](repeating: 7, count: 50_000)))
                let before = edge.root
                batch.hash(onto: &edge, withRoot: true)
                entries.append(Entry(batch, term: 1, before: before, key: .forTests).bytes)
            }
            let (stored, given) = (entries, Shared(10))
            let source = ScriptedSource { _, after in Array(stored[Int(after.rawValue)..<max(Int(after.rawValue), given.value)]) }
            let following = try Following(source, in: Sandbox(path: path))
            try await following.reaches(Position(10))
            // Room for the two head pages alone, so that no write is cut short.
            var limit = rlimit(rlim_cur: 8_192, rlim_max: rlim_t.max)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            given.value = 60
            try await eventually("the follower reports the full disk") { following.follower.status.failure?.isOutOfSpace == true }
            try #require(following.log.head == Position(10))
            try #require(try following.log.positions(matching: .all).count == 10)
            limit.rlim_cur = rlim_t.max
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try await following.reaches(Position(60))
            try #require(try following.log.root() == edge.root)
            try #require(following.failures.isEmpty)
        }
    }
}
