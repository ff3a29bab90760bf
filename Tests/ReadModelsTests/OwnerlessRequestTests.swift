import EventLog
import Foundation
import Histories
import Loyalty
import Patience
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// Handover requests whose tool was killed. No process waits for the answer, so no server may act on them.
@Suite(.timeLimit(.minutes(15))) struct OwnerlessRequestTests {
    private typealias Served = ServedModel<FirstVersion>
    private let facts: [Fact]

    init() {
        var history = RandomHistory(random: SeededRandom.announced("ownerless"))
        history.grow(to: 300)
        facts = history.facts
    }

    @Test("A server withdraws a request for whose answer no tool waits, and accepts a later offer")
    func serverWithdraws() async throws {
        let served = try Served(try TestData.with(facts))
        #expect(await served.runner.reached(served.log.head, timeoutSeconds: 600))
        let before = served.folder.current
        let built = try served.build()
        let files = HandoverFiles(in: served.folder)
        try files.ask(built.handover(keepsOld: true))
        try await eventually("the request is withdrawn") { !files.isAsked }
        #expect(!files.isTaken && files.answered == nil)
        #expect(served.folder.current == before && served.folder.halfBuilt == built.generation)
        // An offer is accepted while its tool waits for the answer.
        #expect(try await served.offer(try served.build().handover(keepsOld: true)) == .server)
        #expect(served.folder.current == built.generation)
        try served.close()
    }

    /// The server has stopped or does not respond, so it does not withdraw the request itself.
    @Test("The next builder withdraws a request for whose answer no tool waits")
    func builderWithdraws() async throws {
        let served = try Served(try TestData.with(facts))
        #expect(await served.runner.reached(served.log.head, timeoutSeconds: 600))
        let before = try #require(served.folder.current)
        try served.runner.stop()
        let built = try served.build()
        let files = HandoverFiles(in: served.folder)
        try files.ask(built.handover(keepsOld: false))
        #expect(try BuildLock(served.folder).forgetOld() == [built.generation])
        #expect(!files.isAsked && served.folder.generations == [before] && served.folder.current == before)
        try served.log.close()
    }

    @Test("The next builder waits for a request that a server has taken, and removes nothing that the server uses")
    func takenRequest() throws {
        let folder = ModelFolder(models: TestData().models, model: "small")
        let generations = (1...2).map { Generation(schemaVersion: 1, number: $0) }
        for generation in generations {
            try FileManager.default.createDirectory(atPath: folder.path(of: generation), withIntermediateDirectories: true)
        }
        try folder.use(generations[0])
        try folder.note(halfBuilt: generations[1])
        let files = HandoverFiles(in: folder)
        try files.ask(Handover(generations[1], at: .start, digest: "", seal: "", keepsOld: true))
        #expect(files.take())
        Thread.detachNewThread {
            try? eventually("the lock is taken") { FileManager.default.fileExists(atPath: folder.path + "/building") }
            try? folder.switchOver(to: generations[1])
        }
        let lock = try BuildLock(folder, patienceSeconds: 600)
        #expect(folder.current == generations[1])
        #expect(try lock.forgetOld() == [generations[0]])
        #expect(folder.generations == [generations[1]])
    }

    @Test("The next builder abandons a taken request that no server completes in time")
    func deadServer() throws {
        let folder = ModelFolder(models: TestData().models, model: "small")
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let files = HandoverFiles(in: folder)
        try files.ask(Handover(Generation(schemaVersion: 1, number: 2), at: .start, digest: "", seal: "", keepsOld: true))
        #expect(files.take())
        _ = try BuildLock(folder, patienceSeconds: 0.01)
        #expect(!files.isTaken)
    }
}
