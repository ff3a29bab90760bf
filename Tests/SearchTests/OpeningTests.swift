import EventLog
import Foundation
import GRDB
import Histories
import Loyalty
import Projections
import ReadModels
import Testing

@testable import Search

/// Conditions under which the model resumes, and those under which it is rebuilt from the first event.
@Suite(.timeLimit(.minutes(15))) struct OpeningTests {
    private static let here = Coordinate(latitude: 31.23, longitude: 121.47)

    /// Creates a folder with a log of some shops, and opens a model that builds itself from it.
    private static func opened(_ data: TestData, shops: Int = 5) async throws -> OpenDiscovery {
        var town = Town()
        for number in 0..<shops { town.publish("Cups", at: town.open("Tea \(number)", at: here)) }
        let open = try OpenDiscovery(data)
        #expect(open.status?.built == .missing)
        try await open.append(town.news())
        return open
    }

    /// Creates a folder with a log of some shops, whose model was built and closed.
    private static func site(shops: Int = 5) async throws -> TestData {
        let data = TestData()
        try await opened(data, shops: shops).close()
        return data
    }

    /// Opens the model, expects that it finds every shop, and returns why it was rebuilt; nil if it resumed.
    private static func reasonToRebuild(
        _ data: TestData, shops: Int = 5, at source: SourceLocation = #_sourceLocation
    ) async throws -> BuildReason? {
        let open = try OpenDiscovery(data)
        try #require(await open.caughtUp(), sourceLocation: source)
        let (found, status) = (try await open.all(ShopSearch(text: "tea")), open.status)
        try open.close()
        #expect(found.count == shops, sourceLocation: source)
        #expect(status?.lag == 0, sourceLocation: source)
        #expect(status?.failure == nil, sourceLocation: source)
        return status?.built
    }

    private static func file(_ data: TestData) throws -> (folder: ModelFolder, path: String) {
        let folder = ModelFolder(models: data.models, model: Discovery.name)
        return (folder, folder.path(of: try #require(folder.current)))
    }

    @Test("The model resumes where it stopped")
    func resumed() async throws {
        let data = try await Self.site()
        #expect(try await Self.reasonToRebuild(data) == nil)
        #expect(try await Self.reasonToRebuild(data) == nil)
    }

    @Test("The model resumes after its process was killed without a close")
    func killed() async throws {
        let data = try await Self.site()
        try StateFile(in: Self.file(data).path).markOpen()
        #expect(try await Self.reasonToRebuild(data) == nil)
    }

    @Test("A reader in another process does not keep the model from closing, and the next start trusts its content")
    func closedBesideReader() async throws {
        let data = TestData()
        // No variable, because the log ends with its last reference.
        try await Self.close(Self.opened(data), besideReaderOf: Self.file(data).path)
        #expect(try await Self.reasonToRebuild(data) == nil)
    }

    /// Closes the model while another connection reads its database. In an `async` function, `read` would be GRDB's asynchronous one.
    private static func close(_ open: OpenDiscovery, besideReaderOf path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let reader = try DatabaseQueue(path: DiscoveryFile.path(in: path), configuration: configuration)
        try reader.read { database in
            #expect(try database.mark().position > .start)
            try open.close()
        }
        try reader.close()
        #expect(try !String(contentsOfFile: path + "/state", encoding: .utf8).hasPrefix("open"))
    }

    @Test("The model is rebuilt if the machine stopped while it was open")
    func uncleanStop() async throws {
        let data = try await Self.site()
        let (folder, path) = try Self.file(data)
        try Data("open in boot 1234\n".utf8).write(to: URL(fileURLWithPath: path + "/state"))
        #expect(try await Self.reasonToRebuild(data) == .uncleanStop)
        #expect(folder.generations == [try #require(folder.current)])
    }

    @Test("The model is rebuilt if its folder or its file was deleted")
    func deleted() async throws {
        let data = try await Self.site()
        try FileManager.default.removeItem(atPath: data.models + "/" + Discovery.name)
        #expect(try await Self.reasonToRebuild(data) == .missing)
        try FileManager.default.removeItem(atPath: DiscoveryFile.path(in: Self.file(data).path))
        #expect(try await Self.reasonToRebuild(data) == .missing)
    }

    @Test("The model is rebuilt if its schema version differs")
    func schemaChanged() async throws {
        let data = try await Self.site()
        let (folder, path) = try Self.file(data)
        let used = try #require(folder.current)
        let other = Generation(schemaVersion: used.schemaVersion + 1, number: used.number)
        try FileManager.default.moveItem(atPath: path, toPath: folder.path(of: other))
        try folder.use(other)
        #expect(try await Self.reasonToRebuild(data) == .schemaChanged)
    }

    @Test("The model is rebuilt if it belongs to another log")
    func otherLog() async throws {
        let (data, other) = (try await Self.site(), try await Self.site(shops: 4))
        let (mine, others) = (try Self.file(data), try Self.file(other))
        try FileManager.default.removeItem(atPath: others.path)
        try FileManager.default.copyItem(atPath: mine.path, toPath: others.path)
        #expect(try await Self.reasonToRebuild(other, shops: 4) == .otherLog)
    }

    @Test("The model is rebuilt if its file is not a database")
    func damaged() async throws {
        let data = try await Self.site()
        let path = DiscoveryFile.path(in: try Self.file(data).path)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: Data(repeating: 0x5A, count: 4_096))
        try file.close()
        #expect(try await Self.reasonToRebuild(data) == .damaged)
    }

    @Test("An event about a missing campaign stops only the models that need it, and they report its position")
    func refused() async throws {
        let open = try OpenDiscovery()
        let fact = Fact(
            position: 1, time: Town.now, actor: Town.owner,
            event: .campaignEnded(CampaignEnded(campaign: CampaignID(7), shop: ShopID(8))))
        try open.log.append([fact], with: open.appender)
        // If a model stops, a wait for its position ends at once.
        let runner = try #require(open.models.runners.first { $0.name == Discovery.name })
        #expect(await runner.reached(Position(1), timeoutSeconds: 3_600) == false)
        let failure = try #require(open.status?.failure)
        #expect(failure.code == .eventRefused)
        #expect(failure.position == Position(1))
        #expect(failure.model == Discovery.name)
        // The model of journeys also tracks campaigns. The other models ignore this event.
        let stopped = open.models.status.filter { $0.failure != nil }.map(\.name)
        #expect(stopped.contains(Discovery.name))
        #expect(Set(stopped).isSubset(of: [Discovery.name, Journeys.name]))
        try open.close()
    }
}
