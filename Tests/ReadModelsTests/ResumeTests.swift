import EventLog
import Foundation
import Histories
import Loyalty
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// Builds of a model's generation that are interrupted, and builders that resume such builds.
@Suite(.timeLimit(.minutes(15))) struct ResumeTests {
    private typealias Served = ServedModel<FirstVersion>
    private let facts: [Fact]

    init() {
        var history = RandomHistory(random: SeededRandom.announced("resume"))
        history.grow(to: 400)
        facts = history.facts
    }

    private static let ended = ReadModelError(.storage, model: "small", "ended by a test")

    @Test("An interrupted build is resumed at its last stored position, in the same generation")
    func interruptedBuild() throws {
        let served = try Served(try TestData.with(facts))
        #expect(throws: ReadModelError.self) {
            try served.build { (step) throws(ReadModelError) in
                if case .advanced(let position, _) = step, position >= Position(150) { throw Self.ended }
            }
        }
        let half = try #require(served.folder.halfBuilt)
        let built = try served.build()
        #expect(built.generation == half && built.resumedAt == Position(150))
        #expect(built.applied == Int(Served.total(facts.dropFirst(150))))
        try served.close()
    }

    @Test("A server's start keeps a generation that a builder has not finished")
    func startKeeps() throws {
        let data = try TestData.with(facts)
        let served = try Served(data)
        let built = try served.build()
        try served.close()
        let again = try Served(try data.copy())
        #expect(again.folder.generations == [again.folder.current, built.generation])
        #expect(again.folder.halfBuilt == built.generation)
        try again.close()
    }

    @Test("A half-built generation of another log is discarded, and its build starts from the first event")
    func anotherLog() throws {
        let (mine, others) = (try TestData.with(facts), try TestData.with(facts.prefix(100)))
        let long = try Served(mine)
        let half = try long.build().generation
        try long.close()
        try FileManager.default.createDirectory(atPath: others.derived, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: mine.models, toPath: others.models)
        let short = try Served(others)
        let built = try short.build()
        #expect(built.generation != half && built.resumedAt == .start && built.mark.position == short.log.head)
        #expect(!short.folder.generations.contains(half))
        try short.close()
    }

    @Test("A second builder of a model is refused, and the error names the process that builds it")
    func secondBuilder() throws {
        let served = try Served(try TestData.with(facts))
        let lock = try BuildLock(served.folder)
        let error = #expect(throws: ReadModelError.self) { try served.build() }
        #expect(error?.code == .building)
        #expect(error?.description.contains("\(ProcessInfo.processInfo.processIdentifier)") == true, "\(String(describing: error))")
        withExtendedLifetime(lock) {}
        try served.close()
    }

    @Test("A generation that fails its check is discarded")
    func failedCheck() throws {
        let served = try Served(try TestData.with(facts))
        let before = served.folder.generations
        let check = ContentCheck { (_, position) throws(ReadModelError) in
            throw ReadModelError(.mismatch, model: "small", position: position, "another digest")
        }
        let error = #expect(throws: ReadModelError.self) {
            try ModelBuilder(models: served.data.models, log: served.log).complete(
                SmallModel<FirstVersion>.self, under: try BuildLock(served.folder), checking: check
            ) { _ in }
        }
        #expect(error?.code == .mismatch && error?.position == served.log.head)
        #expect(served.folder.generations == before && served.folder.halfBuilt == nil)
        try served.close()
    }

    @Test("The previous and the half-built generation are deleted on request")
    func deletedOnRequest() async throws {
        let served = try Served(try TestData.with(facts))
        #expect(try await served.offer(try served.build().handover(keepsOld: true)) == .server)
        try BuildLock(served.folder).finish()
        let half = try served.build().generation
        let previous = try #require(served.folder.previous)
        #expect(try BuildLock(served.folder).forgetOld() == [previous, half])
        #expect(served.folder.generations == [served.folder.current].compactMap { $0 })
        #expect(try BuildLock(served.folder).forgetOld().isEmpty)
        try served.close()
    }
}
