import EventLog
import Foundation
import Histories
import Loyalty
import Seeds
import Testing

@testable import Projections
@testable import ReadModels

/// Conditions under which a model resumes, and those under which it is rebuilt from the first event.
@Suite(.timeLimit(.minutes(15))) struct OpeningTests {
    private let facts: [Fact]

    init() {
        var history = RandomHistory(random: SeededRandom.announced("opening"))
        history.grow(to: 300)
        facts = history.facts
    }

    /// Opens the models, waits until they have caught up, and closes them.
    ///
    /// - Returns: the build reasons of the first two models, which represent all.
    private func run(_ data: TestData, holding facts: [Fact]? = nil) async throws -> [BuildReason?] {
        let facts = facts ?? self.facts
        let open = try OpenData(data)
        #expect(await open.caughtUp())
        for card in Oracle(facts).cards.values { #expect(try open.models.cards.card(card.id) == card) }
        let reasons = open.models.status.prefix(2).map(\.built)
        try open.close()
        return reasons
    }

    private func current(_ data: TestData, _ model: String = CardProgress.name) -> ModelFolder {
        ModelFolder(models: data.models, model: model)
    }

    @Test("A model that was closed goes on without a rebuild")
    func goesOnAfterAClose() async throws {
        let data = try TestData.with(facts)
        #expect(try await run(data) == [.missing, .missing])
        #expect(try await run(data) == [nil, nil])
    }

    @Test("A model is rebuilt if its folder was deleted")
    func folderDeleted() async throws {
        let data = try TestData.with(facts)
        _ = try await run(data)
        try FileManager.default.removeItem(atPath: data.models + "/" + CardProgress.name)
        #expect(try await run(data) == [.missing, nil])
        _ = try await run(data)
        try FileManager.default.removeItem(atPath: data.derived)
        #expect(try await run(data) == [.missing, .missing])
    }

    @Test("A model is rebuilt if its rows have a newer schema version than the program")
    func newerSchema() async throws {
        let data = try TestData.with(facts)
        _ = try await run(data)
        let folder = current(data)
        let used = try #require(folder.current)
        let other = Generation(schemaVersion: used.schemaVersion + 1, number: used.number)
        try FileManager.default.moveItem(atPath: folder.path(of: used), toPath: folder.path(of: other))
        try folder.use(other)
        #expect(try await run(data) == [.schemaChanged, nil])
        #expect(folder.generations == [Generation(schemaVersion: CardProgress.schemaVersion, number: used.number + 1)])
    }

    @Test("A model is rebuilt if its position is beyond the log's head")
    func aheadOfLog() async throws {
        let long = try TestData.with(facts)
        _ = try await run(long)
        let short = try TestData.with(facts.prefix(200))
        try FileManager.default.copyItem(atPath: long.models, toPath: short.models)
        #expect(try await run(short, holding: Array(facts.prefix(200))) == [.otherLog, .otherLog])
    }

    @Test("A model is rebuilt if it was built from another log")
    func anotherLog() async throws {
        var other = RandomHistory(random: SeededRandom(seed: 7))
        other.grow(to: facts.count)
        // The other log is not longer than this log. So only the event at the stored position shows that the logs differ.
        let others = Array(other.facts.prefix(facts.count - 1))
        let (mine, theirs) = (try TestData.with(facts), try TestData.with(others))
        _ = try await run(theirs, holding: others)
        try FileManager.default.copyItem(atPath: theirs.models, toPath: mine.models)
        #expect(try await run(mine) == [.otherLog, .otherLog])
    }

    @Test("A model is rebuilt if its file was truncated")
    func truncatedFile() async throws {
        let data = try TestData.with(facts)
        _ = try await run(data)
        let folder = current(data)
        let path = folder.path(of: try #require(folder.current)) + "/data.mdb"
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.truncate(atOffset: 9_000)
        try file.close()
        #expect(try await run(data) == [.damaged, nil])
    }

    @Test("A model is rebuilt if the machine stopped while the model was open")
    func machineStopped() async throws {
        let data = try TestData.with(facts)
        _ = try await run(data)
        let folder = current(data)
        let state = folder.path(of: try #require(folder.current)) + "/state"
        try Data("open in boot 0\n".utf8).write(to: URL(fileURLWithPath: state))
        #expect(try await run(data) == [.uncleanStop, nil])
    }

    @Test(
        "A model is rebuilt if its pointer is not the complete name of an existing generation",
        arguments: ["", "v\(CardProgress.schemaVersion)-g1", "v\(CardProgress.schemaVersion)-g99\n", "nonsense\n", "../log\n"])
    func strangePointer(_ text: String) async throws {
        let data = try TestData.with(facts)
        _ = try await run(data)
        try Data(text.utf8).write(to: URL(fileURLWithPath: current(data).path + "/current"))
        #expect(try await run(data) == [.missing, nil])
        #expect(current(data).generations.count == 1)
    }

    @Test("A start removes a generation that a crashed build left behind")
    func leftovers() async throws {
        let data = try TestData.with(facts)
        _ = try await run(data)
        let folder = current(data)
        let leftover = folder.path(of: Generation(schemaVersion: 1, number: 9))
        try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: true)
        #expect(try await run(data) == [nil, nil])
        #expect(folder.generations == [try #require(folder.current)])
    }
}
