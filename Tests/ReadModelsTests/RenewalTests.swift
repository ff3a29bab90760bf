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

    private static func renew(
        _ folder: ModelFolder, _ own: OwnHandover, _ log: EventLog, _ isStopping: @escaping @Sendable () -> Bool
    ) async -> ReadModelError? {
        await withCheckedContinuation { (continuation: CheckedContinuation<ReadModelError?, Never>) in
            Thread.detachNewThread {
                let renewal = Renewal<SmallModel<SecondVersion>>(folder, own, log, isStopping)
                do throws(ReadModelError) {
                    try renewal.run()
                    continuation.resume(returning: nil)
                } catch {
                    continuation.resume(returning: error)
                }
            }
        }
    }

    /// The files of an older version, with no server, so that the test answers in its place.
    private func unserved() async throws -> ServedModel<FirstVersion> {
        let served = try ServedModel<FirstVersion>(try await stored().0)
        try served.runner.stop()
        return served
    }

    @Test("A renewal asks its own process, without a file, and a refusal ends it", arguments: [nil, "because"] as [String?])
    func ownRequest(_ refusal: String?) async throws {
        let served = try await unserved()
        let (folder, log, own) = (served.folder, served.log, OwnHandover())
        let old = folder.current
        async let failure = Self.renew(folder, own, log) { false }
        try await eventually("the renewal asks") { own.asked != nil }
        let request = try #require(own.asked)
        #expect(request.generation == folder.halfBuilt && !HandoverFiles(in: folder).isAsked)
        #expect(own.take(request) && !own.take(request), "a request is taken once")
        #expect(!own.withdraw(), "and then not withdrawn")
        if refusal == nil { try folder.switchOver(to: request.generation) }
        own.reply(HandoverAnswer(request.generation, refusal: refusal))
        let error = await failure
        #expect(error?.code == (refusal == nil ? nil : .refused))
        #expect(folder.current == (refusal == nil ? request.generation : old))
        #expect(folder.halfBuilt == (refusal == nil ? nil : request.generation))
        try served.log.close()
    }

    @Test("A stop withdraws the request of a renewal, but a switch that has begun is awaited", arguments: [false, true])
    func stopWhileAsking(_ hasBegun: Bool) async throws {
        let served = try await unserved()
        let (folder, log, own) = (served.folder, served.log, OwnHandover())
        let isStopping = Mutex(false)
        async let failure = Self.renew(folder, own, log) { isStopping.withLock { $0 } }
        try await eventually("the renewal asks") { own.asked != nil }
        let request = try #require(own.asked)
        if hasBegun { #expect(own.take(request)) }
        isStopping.withLock { $0 = true }
        if hasBegun {
            #expect(throws: ReadModelError.self, "the lock is held until the answer") { _ = try BuildLock(folder) }
            try folder.switchOver(to: request.generation)
            own.reply(HandoverAnswer(request.generation, refusal: nil))
        }
        let error = await failure
        #expect(error == nil && own.asked == nil && !own.take(request))
        #expect(folder.halfBuilt == (hasBegun ? nil : request.generation), "the next start goes on")
        try served.log.close()
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
