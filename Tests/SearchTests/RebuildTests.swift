import EventLog
import GRDB
import Histories
import Loyalty
import Projections
import ReadModels
import Seeds
import Testing

@testable import Search

/// The model is a pure function of the log, so every way to build it gives the same rows.
@Suite(.timeLimit(.minutes(15))) struct RebuildTests {
    private static func site() async throws -> (data: TestData, town: Town) {
        var random = SeededRandom.announced("rebuild")
        var town = Town()
        let data = TestData()
        let open = try OpenDiscovery(data)
        // The log is applied in many small batches, while a rebuild uses one.
        for number in 0..<40 {
            let place = PlaceTests.around(PlaceTests.corners[number % PlaceTests.corners.count], meters: 1_000, &random)
            let campaign = town.publish("十杯 \(number)", at: town.open("茶 \(number)", at: place))
            for _ in 0..<3 { town.toggle(campaign, by: AccountID(UInt128(Int.random(in: 1...5, using: &random)))) }
            if number % 7 == 0 { town.end(campaign) }
            if number == 39 { town.erase(AccountID(3)) }
            try await open.append(town.news())
        }
        try open.close()
        return (data, town)
    }

    @Test("Rows stored in steps, replayed in memory and rebuilt are the same")
    func same() async throws {
        let (data, town) = try await Self.site()
        try Self.compare(data, events: town.facts.count)
        let open = try OpenDiscovery(data)
        #expect(open.status?.built == nil && open.status?.position == open.log.head)
        try open.close()
    }

    /// This function is synchronous, because building blocks the thread and the last reference to the log closes it.
    private static func compare(_ data: TestData, events: Int) throws {
        let log = try data.log()
        let stored = try DiscoveryContent.stored(in: data.models)
        #expect(stored.mark.position == log.head && stored.rows > 200)
        let replayed = try DiscoveryContent.replayed(log, through: log.head)
        for (left, right) in zip(stored.tables, replayed.tables) { #expect(left.lines == right.lines, "\(left.name)") }
        #expect(stored.digest == replayed.digest)
        let folder = Discovery.folder(in: data.models)
        let before = try #require(folder.current)
        let built = try DiscoveryBuilder(log: log).complete(under: try BuildLock(folder), checking: { _ in }) { _ in }
        #expect(built.digest == stored.digest && built.rows == stored.rows && built.applied == events)
        #expect(built.mark.position == log.head && built.generation.number == before.number + 1)
        #expect(folder.current == before && folder.halfBuilt == built.generation)
        #expect(folder.seal(of: built.generation).text != nil && folder.seal(of: built.generation).holds)
        try log.close()
    }

    @Test("A changed, missing or extra row changes the digest")
    func changed() async throws {
        for sql in [
            "UPDATE campaigns SET favorites = favorites + 1 WHERE n = (SELECT min(n) FROM campaigns)", "DELETE FROM changes WHERE n = 3",
            "INSERT INTO shop_words (rowid, words) VALUES (9999, 'x')", "UPDATE boxes SET east = east + 1 WHERE n = 1",
        ] {
            let (data, _) = try await Self.site()
            let before = try DiscoveryContent.stored(in: data.models)
            let folder = ModelFolder(models: data.models, model: Discovery.name)
            let queue = try DatabaseQueue(path: DiscoveryFile.path(in: folder.path(of: try #require(folder.current))))
            try await queue.write { try $0.execute(sql: sql) }
            try queue.close()
            #expect(try DiscoveryContent.stored(in: data.models).digest != before.digest, "\(sql)")
        }
    }
}
