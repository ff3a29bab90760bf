import EventLog
import Foundation
import Histories
import Loyalty
import Patience
import Seeds
import Synchronization
import Testing

@testable import Projections
@testable import ReadModels

/// A builder puts a new generation of a model into use while a server runs. The generation is complete before the switch, and the switch is
/// atomic or does not happen.
@Suite(.timeLimit(.minutes(15))) struct ExchangeTests {
    private typealias Served = ServedModel<FirstVersion>
    private let facts: [Fact]

    init() {
        var history = RandomHistory(random: SeededRandom.announced("exchange"))
        history.grow(to: 600)
        facts = history.facts
    }

    @Test("The server takes over a new generation once it caught up, and open readers keep the old one")
    func takeover() async throws {
        let served = try Served(TestData())
        #expect(try await served.append(facts.prefix(400)))
        let before = try #require(served.folder.current)
        let built = try served.build()
        #expect(built.mark.position == served.log.head && served.folder.current == before)
        // The built generation lacks these events, because they are appended after its build.
        #expect(try await served.append(facts.dropFirst(400)))
        let old = served.box.model
        #expect(try await served.offer(built.handover(keepsOld: true)) == .server)
        #expect(served.folder.current == built.generation && served.folder.previous == before)
        #expect(served.runner.status.generation == built.generation.text)
        #expect(served.box.model !== old)
        #expect(try served.box.model.total() == Served.total(facts))
        #expect(try old.total() == Served.total(facts), "a reader with the old generation still reads from it")
        #expect(served.runner.position == served.log.head)
        try served.close()
    }

    @Test("The server follows the log after a switch, and the next start opens the new generation")
    func afterSwitch() async throws {
        let served = try Served(TestData())
        #expect(try await served.append(facts.prefix(300)))
        #expect(try await served.offer(try served.build().handover(keepsOld: false)) == .server)
        #expect(served.folder.previous == nil && served.folder.generations == [served.folder.current].compactMap { $0 })
        #expect(try await served.append(facts.dropFirst(300)))
        #expect(try served.box.model.total() == Served.total(facts))
        let generation = served.folder.current
        try served.close()
        let again = try Served(try served.data.copy())
        #expect(again.runner.status.built == nil && again.folder.current == generation)
        try again.close()
    }

    @Test("The tool itself switches the generation if no server runs")
    func withoutServer() async throws {
        let data = try TestData.with(facts)
        let served = try Served(data)
        #expect(await served.runner.reached(served.log.head, timeoutSeconds: 600))
        let before = try #require(served.folder.current)
        try served.close()
        let folder = served.folder
        // This process's log still holds the writer lock, so the tool gets another folder, whose lock is free.
        let built = try served.build()
        let free = TestData()
        try FileManager.default.createDirectory(atPath: free.path + "/log", withIntermediateDirectories: true)
        let offer = HandoverOffer(folder, log: free.path + "/log", waitSecondsMax: 600)
        #expect(try offer.make(built.handover(keepsOld: true)) == .tool)
        #expect(folder.current == built.generation && folder.previous == before)
    }

    /// Either a server opened the generation and stopped before its switch, or the disk changed a byte.
    @Test("The tool refuses a generation whose file or stored checksum changed after it was sealed", arguments: [true, false])
    func brokenSeal(_ isOpened: Bool) async throws {
        let served = try Served(try TestData.with(facts))
        #expect(await served.runner.reached(served.log.head, timeoutSeconds: 600))
        let before = try #require(served.folder.current)
        let built = try served.build()
        try served.close()
        if isOpened {
            _ = try OpenModel.resume(with: built.generation, in: served.folder)
        } else {
            try Self.changeLastByte(of: served.folder.path(of: built.generation) + "/data.mdb")
        }
        let free = TestData()
        try FileManager.default.createDirectory(atPath: free.path + "/log", withIntermediateDirectories: true)
        let offer = HandoverOffer(served.folder, log: free.path + "/log", waitSecondsMax: 600)
        let error = #expect(throws: ReadModelError.self) { try offer.make(built.handover(keepsOld: true)) }
        #expect(error?.code == .refused && offer.wasOpened(built.generation) == isOpened)
        #expect(served.folder.current == before && served.folder.previous == nil)
    }

    private static func changeLastByte(of path: String) throws {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    @Test("A generation that was removed before the offer is put into use by neither server nor tool")
    func removedGeneration() async throws {
        let data = try TestData.with(facts)
        let served = try Served(data)
        #expect(await served.runner.reached(served.log.head, timeoutSeconds: 600))
        let before = try #require(served.folder.current)
        let built = try served.build()
        // The built generation is removed before it is offered. The last check before the pointer is written would also notice this.
        try served.folder.remove(built.generation)
        #expect(throws: ReadModelError.self) { try served.folder.requireThere(built.generation) }
        try await expectRefusal(of: built.handover(keepsOld: true), by: served, "")
        #expect(served.folder.current == before)
        try served.close()
        let free = TestData()
        try FileManager.default.createDirectory(atPath: free.path + "/log", withIntermediateDirectories: true)
        let offer = HandoverOffer(served.folder, log: free.path + "/log", waitSecondsMax: 600)
        #expect(throws: ReadModelError.self) { try offer.make(built.handover(keepsOld: true)) }
        #expect(served.folder.current == before)
    }

    @Test("A server refuses a generation whose file was changed, and goes on with its own")
    func changedFile() async throws {
        let served = try Served(TestData())
        #expect(try await served.append(facts))
        let before = try #require(served.folder.current)
        let built = try served.build()
        let path = served.folder.path(of: built.generation) + "/data.mdb"
        try Self.changeLastByte(of: path)
        try await expectRefusal(of: built.handover(keepsOld: true), by: served, "sealed")
        #expect(served.folder.current == before && served.runner.failure == nil)
        try served.close()
    }

    @Test("A server refuses a handover with a wrong seal, position, schema version or generation")
    func wrongHandover() async throws {
        let served = try Served(TestData())
        #expect(try await served.append(facts))
        let built = try served.build()
        let right = built.handover(keepsOld: true)
        let wrong = [
            Handover(right.generation, at: right.mark, digest: "", seal: "", keepsOld: true),
            Handover(
                right.generation, at: ModelMark(position: Position(1), fingerprint: 1), digest: "", seal: right.seal, keepsOld: true),
            Handover(Generation(schemaVersion: 9, number: 9), at: right.mark, digest: "", seal: right.seal, keepsOld: true),
            Handover(Generation(schemaVersion: 1, number: 9), at: right.mark, digest: "", seal: right.seal, keepsOld: true),
        ]
        // Only the handover with a wrong mark opens the file. It comes last, because opening removes the stored checksum.
        for handover in [wrong[0], wrong[2], wrong[3], wrong[1]] { try await expectRefusal(of: handover, by: served, "") }
        #expect(served.folder.generations.count == 2, "no generation was created for a refused handover")
        try served.close()
    }

    private func expectRefusal(of handover: Handover, by served: Served, _ text: String) async throws {
        do {
            _ = try await served.offer(handover)
            Issue.record("\(handover.text) was not refused")
        } catch let error as ReadModelError {
            #expect(error.code == .refused && (text.isEmpty || error.detail.contains(text)), "\(error)")
        }
    }

    /// The server's log is open, but its model thread has stopped.
    @Test("An offer that no server answers times out, withdraws its request and keeps the built generation")
    func noAnswer() async throws {
        let served = try Served(TestData())
        #expect(try await served.append(facts))
        let built = try served.build()
        try served.runner.stop()
        do {
            _ = try await served.offer(built.handover(keepsOld: true), waitSecondsMax: 0.02)
            Issue.record("an offer without a server was answered")
        } catch let error as ReadModelError {
            #expect(error.code == .unanswered && error.description.contains(built.generation.text))
        }
        #expect(!HandoverFiles(in: served.folder).isAsked, "the request is gone, so that a later server finds none")
        #expect(served.folder.halfBuilt == built.generation, "the next attempt continues the built generation")
        try served.log.close()
    }

    /// A server that ended after its switch has written no answer, so the tool has asked again.
    @Test("An unanswered offer succeeds if its generation is already in use")
    func alreadyInUse() async throws {
        let served = try Served(TestData())
        #expect(try await served.append(facts))
        let built = try served.build()
        try served.runner.stop()
        try served.folder.switchOver(to: built.generation)
        #expect(try await served.offer(built.handover(keepsOld: true), waitSecondsMax: 0.02) == .server)
        #expect(!HandoverFiles(in: served.folder).isAsked && served.folder.current == built.generation)
        try served.log.close()
    }

    @Test("A rollback brings the previous generation up to the log's head before it is put into use")
    func rollback() async throws {
        let served = try Served(TestData())
        #expect(try await served.append(facts.prefix(200)))
        let first = try #require(served.folder.current)
        let second = try served.build().handover(keepsOld: true)
        #expect(try await served.offer(second) == .server)
        #expect(try await served.append(facts.dropFirst(200)))
        #expect(served.folder.previous == first)
        let back = try served.build(known: first)
        #expect(back.generation == first && back.mark.position == served.log.head && back.resumedAt == Position(200))
        #expect(try await served.offer(back.handover(keepsOld: true)) == .server)
        #expect(served.folder.current == first && served.folder.previous == second.generation)
        #expect(try served.box.model.total() == Served.total(facts))
        try served.close()
    }

    @Test("A stop waits for the thread that opens a generation, and that thread learns of the stop")
    func aStopWaitsForAnOpening() async throws {
        let served = try Served(TestData())
        try served.runner.stop()
        let lock = try BuildLock(served.folder)
        defer { withExtendedLifetime(lock) {} }
        let hasBegun = Mutex(false)
        let hasEnded = Mutex(false)
        let exchange = ModelExchange(
            served.folder, reads: { _ in true },
            open: { (_, isStopping) throws(ReadModelError) in
                hasBegun.withLock { $0 = true }
                while !isStopping() { Thread.sleep(forTimeInterval: 0.001) }
                // The runner's other thread has ended long before this thread.
                Thread.sleep(forTimeInterval: 0.5)
                hasEnded.withLock { $0 = true }
                throw ReadModelError(.mismatch, model: "small", "made by a test")
            })
        let failing = StoppingModel(position: .start, folder: served.folder, log: served.log, box: served.box)
        let runner = ModelRunner(
            WaitingModel(
                name: "small", position: .start, reason: nil, generation: Generation(schemaVersion: 1, number: 1),
                follower: failing.waiting.follower, close: {}, exchange: exchange),
            following: served.log)
        let request = Handover(Generation(schemaVersion: 1, number: 9), at: .start, digest: "", seal: "", keepsOld: true)
        try HandoverFiles(in: served.folder).ask(request)
        try await eventually("the generation is being opened") { hasBegun.withLock { $0 } }
        try runner.stop()
        #expect(hasEnded.withLock { $0 })
        try served.log.close()
    }

    @Test("A model that stopped at damaged data resumes with an intact generation, and reaches the log's head")
    func stoppedModel() async throws {
        let log = try TestData.with(facts)
        let served = try Served(log)
        #expect(await served.runner.reached(served.log.head, timeoutSeconds: 600))
        let failing = StoppingModel(position: Position(3), folder: served.folder, log: served.log, box: served.box)
        let runner = ModelRunner(failing.waiting, following: served.log)
        try served.runner.stop()
        #expect(await runner.reached(Position(4), timeoutSeconds: 600) == false)
        #expect(runner.failure?.code == .damaged)
        let built = try served.build()
        #expect(try await served.offer(built.handover(keepsOld: true)) == .server)
        #expect(runner.failure == nil && runner.status.generation == built.generation.text)
        #expect(await runner.reached(served.log.head, timeoutSeconds: 600))
        try runner.stop()
        try served.log.close()
    }
}
