import EventLog
import Foundation
import Histories
import Loyalty
import Patience
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// Programs whose schema version of a model differs from the version of the stored rows.
@Suite(.timeLimit(.minutes(15))) struct RenewalTests {
    private let facts: [Fact]

    init() {
        var history = RandomHistory(random: SeededRandom.announced("renewal"))
        history.grow(to: 500)
        facts = history.facts
    }

    private func stored() async throws -> (TestData, Generation) {
        let old = try ServedModel<FirstVersion>(try TestData.with(facts.prefix(400)))
        #expect(await old.runner.reached(old.log.head, timeoutSeconds: 600))
        let generation = try #require(old.folder.current)
        try old.close()
        // The test continues with a copy of the folder, because the original files stay open until the last reference to them is released.
        return (try old.data.copy(), generation)
    }

    @Test("An older version's rows are served until the new version is built, and stay the previous generation")
    func olderVersion() async throws {
        let (data, old) = try await stored()
        // A builder holds the lock, so the renewal cannot start before the test has checked.
        var lock: BuildLock? = try BuildLock(ModelFolder(models: data.models, model: "small"))
        let served = try ServedModel<SecondVersion>(data)
        #expect(served.runner.position == Position(400), "the old generation is served from the first moment")
        #expect(served.folder.current == old && served.runner.status.built == nil)
        #expect(try served.box.model.total() == ServedModel<FirstVersion>.total(facts.prefix(400)))
        #expect(try await served.append(facts[400..<450]), "the old generation follows the log")
        lock = nil
        withExtendedLifetime(lock) {}
        try await eventually("the new generation is served") {
            try #require(served.runner.status.renewalFailure == nil)
            return served.runner.status.generation != old.text
        }
        #expect(served.folder.current?.schemaVersion == 2 && served.folder.previous == old)
        #expect(try served.box.model.total() == ServedModel<SecondVersion>.total(facts.prefix(450)))
        #expect(try await served.append(facts[450...]))
        #expect(try served.box.model.total() == ServedModel<SecondVersion>.total(facts))
        try served.close()
        let again = try ServedModel<SecondVersion>(try data.copy())
        #expect(again.runner.status.built == nil && again.folder.current?.schemaVersion == 2)
        try again.close()
    }

    @Test("A failed renewal is reported, and the older version is still served and follows the log")
    func failedRenewal() async throws {
        let (data, old) = try await stored()
        let served = try ServedModel<RefusingVersion>(data)
        try await eventually("the renewal fails") { served.runner.status.renewalFailure != nil }
        let failure = try #require(served.runner.status.renewalFailure)
        #expect(failure.code == .eventRefused && failure.eventType == "CardStamped" && !failure.remedy.isEmpty)
        #expect(try #require(failure.position) <= Position(300))
        #expect(try await served.append(facts[400...]), "the old generation still follows the log")
        #expect(served.runner.failure == nil && served.folder.current == old)
        #expect(try served.box.model.total() == ServedModel<RefusingVersion>.total(facts))
        try served.close()
    }

    /// The server removes a request for which it can write no answer. If it has not switched before, the renewal fails. No server runs
    /// here, so only the test changes the files.
    @Test("A renewal does not wait for the answer to a request that is gone", arguments: [false, true])
    func aRequestWithoutAnAnswerEndsTheRenewal(_ isSwitched: Bool) async throws {
        let (data, old) = try await stored()
        let served = try ServedModel<FirstVersion>(data)
        try served.runner.stop()
        let (folder, log) = (served.folder, served.log)
        let deadline = ContinuousClock.now.advanced(by: .seconds(patienceSeconds))
        async let failure = withCheckedContinuation { (continuation: CheckedContinuation<ReadModelError?, Never>) in
            Thread.detachNewThread {
                let renewal = Renewal<SmallModel<SecondVersion>>(folder, log) { ContinuousClock.now > deadline }
                do throws(ReadModelError) {
                    try renewal.run()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
        let files = HandoverFiles(in: folder)
        try await eventually("the renewal asks") { files.isAsked }
        let built = try #require(folder.halfBuilt)
        if isSwitched { try folder.switchOver(to: built) }
        #expect(files.withdraw())
        let code = await failure?.code
        #expect(ContinuousClock.now < deadline, "it ended because of the missing request, and not because the test stopped it")
        let expected: ReadModelError.Code? = isSwitched ? nil : .unanswered
        #expect(code == expected)
        #expect(folder.current == (isSwitched ? built : old))
        try log.close()
    }

    @Test("Rows of an incompatible version are rebuilt at once and not kept")
    func incompatible() async throws {
        let (data, old) = try await stored()
        let served = try ServedModel<StrangeVersion>(data)
        #expect(served.runner.status.built == .schemaChanged)
        #expect(await served.runner.reached(served.log.head, timeoutSeconds: 600))
        #expect(try served.box.model.total() == ServedModel<StrangeVersion>.total(facts.prefix(400)))
        #expect(!served.folder.generations.contains(old) && served.folder.previous == nil)
        try served.close()
    }

    @Test("A renewal that restarts interrupted is completed at a later start")
    func interrupted() async throws {
        var (data, old) = try await stored()
        for _ in 0..<3 {
            let served = try ServedModel<SecondVersion>(data)
            try served.close()
            data = try data.copy()
            old = served.folder.current ?? old
        }
        #expect(ModelFolder(models: data.models, model: "small").current == old)
        let served = try ServedModel<SecondVersion>(data)
        try await eventually("the new generation is served") {
            served.folder.current?.schemaVersion == 2 && served.runner.status.generation == served.folder.current?.text
        }
        #expect(try served.box.model.total() == ServedModel<SecondVersion>.total(facts.prefix(400)))
        try served.close()
    }
}
