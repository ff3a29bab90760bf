import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Patience
import Projections
import ReadModels
import Seeds
import Synchronization
import Testing

@testable import Audit
@testable import Search

/// The discovery model is stored in SQLite. It is rebuilt beside a running server, like the models in LMDB.
@Suite(.timeLimit(.minutes(15))) struct DiscoveryRebuildTests {
    private static let ended = ReadModelError(.storage, model: "", "ended by a test")

    /// Starts a server whose models have applied only the first part of a history, and returns the rest of the history.
    private func beside(_ name: String, modelled: Int = 300) async throws -> (Beside, rest: ArraySlice<Fact>) {
        var history = RandomHistory(random: SeededRandom.announced(name))
        history.grow(to: 400)
        let beside = try Beside(try TestData.with(history.facts.prefix(modelled)), discovers: true)
        #expect(await beside.models.reached(beside.log.head, timeoutSeconds: 600))
        return (beside, history.facts.dropFirst(modelled))
    }

    private static func status(_ beside: Beside) throws -> ModelStatus {
        try #require(beside.models.status.first { $0.name == Discovery.name })
    }

    private static func expectReplayed(_ beside: Beside) throws {
        let stored = try DiscoveryContent.stored(in: beside.data.models)
        #expect(try stored.digest == DiscoveryContent.replayed(beside.log, through: beside.log.head).digest)
        #expect(stored.rows > 20)
    }

    @Test("A running server switches to a rebuilt discovery model, and back after a rollback")
    func rebuiltAndBack() async throws {
        let (beside, rest) = try await beside("discovery-beside")
        let folder = Discovery.folder(in: beside.data.models)
        let first = try #require(folder.current)
        let built = try await beside.discover()
        #expect(built.switcher == .server)
        #expect(built.previous == first.text)
        #expect(built.position == beside.log.head)
        #expect(built.resumedAt == .start)
        #expect(built.applied > 0)
        #expect(folder.halfBuilt == nil)
        #expect(try Self.status(beside).generation == built.generation)
        try Self.expectReplayed(beside)
        // The server now uses the new generation and follows the log with it. After a rollback, the server uses the old generation, which
        // catches up.
        try beside.append(rest)
        #expect(await beside.models.reached(beside.log.head, timeoutSeconds: 600))
        try Self.expectReplayed(beside)
        let back = try await beside.discover(.rollBack)
        #expect(back.generation == first.text)
        #expect(back.previous == built.generation)
        #expect(back.switcher == .server)
        #expect(back.position == beside.log.head)
        #expect(back.resumedAt > .start)
        try Self.expectReplayed(beside)
        let rebuild = Rebuild(DataFolder(beside.data.path), log: beside.log)
        #expect(try rebuild.forgetOld(of: Discovery.name) == [built.generation])
        #expect(folder.generations == [first])
        try beside.close()
        // After a restart, the server uses the generation to which the rollback switched.
        let again = try Beside(try beside.data.copy(), discovers: true)
        #expect(try Self.status(again).built == nil)
        #expect(try Self.status(again).generation == first.text)
        try again.close()
    }

    @Test("During rebuilds no read fails, and an account sees its own change of a favourite at once")
    func duringRebuilds() async throws {
        let (beside, _) = try await beside("discovery-readers", modelled: 399)
        let (discovery, account) = (try #require(beside.discovery), AccountID(0xFA0))
        let published = try discovery.campaigns(CampaignSearch(now: Instant(microseconds: 0)), limit: 1).items.first
        let campaign = try #require(published).id
        let before = try #require(try discovery.standings(of: [campaign], for: account)[campaign]).favorites
        let isOver = Atomic(false), changed = Atomic(0)
        let rebuilds = Task<Void, any Error> {
            defer { isOver.store(true, ordering: .releasing) }
            var options = RebuildOptions()
            // The previous generation's folder is deleted at once.
            options.keepsOld = false
            var count = 0
            // On a busy machine either thread may get no time, so this loop waits until both have made progress.
            while count < 12 || changed.load(ordering: .acquiring) < 3, !Task.isCancelled {
                let outcome = try await beside.discover(options: options)
                #expect(outcome.switcher == .server)
                count += 1
            }
        }
        defer { rebuilds.cancel() }
        var (changes, last) = (0, Position.start)
        while !isOver.load(ordering: .acquiring) {
            try Task.checkCancellation()
            let isKept = changes % 2 == 0
            let event: LoyaltyEvent =
                isKept
                ? .favoriteAdded(FavoriteAdded(account: account, campaign: campaign))
                : .favoriteRemoved(FavoriteRemoved(account: account, campaign: campaign))
            let position = try beside.append(try LoyaltyCodec.encode(event, by: account, at: Instant(microseconds: 1), mark: nil))
            #expect(await beside.models.reached(position, timeoutSeconds: 600))
            let standing = try #require(try discovery.standings(of: [campaign], for: account)[campaign])
            #expect(standing.isFavorite == isKept)
            #expect(standing.favorites == before + (isKept ? 1 : 0))
            #expect(try discovery.favorites(of: account).items == (isKept ? [campaign] : []))
            let seen = try Self.status(beside).position
            #expect(seen >= position)
            #expect(seen >= last)
            (changes, last) = (changes + 1, seen)
            changed.store(changes, ordering: .releasing)
        }
        try await rebuilds.valueInTime()
        #expect(changes > 2)
        try Self.expectReplayed(beside)
        try beside.close()
    }

    @Test("A rebuild reports a changed row of a half-built generation and discards that generation")
    func aChangedRowIsNamed() async throws {
        let (beside, _) = try await beside("discovery-changed")
        let folder = Discovery.folder(in: beside.data.models)
        let before = folder.current
        await #expect(throws: ReadModelError.self) {
            try await beside.discover { (_, step) throws(ReadModelError) in if case .closed = step { throw Self.ended } }
        }
        let half = try #require(folder.halfBuilt)
        try Self.replace("Tea Road", by: "Tea Rood", in: folder.path(of: half) + "/discovery.sqlite")
        let error = await #expect(throws: ReadModelError.self) { try await beside.discover() }
        #expect(error?.code == .mismatch)
        #expect(error?.detail.contains("Rood") == true, "\(String(describing: error))")
        #expect(folder.current == before)
        #expect(!folder.generations.contains(half))
        #expect(folder.halfBuilt == nil)
        #expect(try await beside.discover().resumedAt == .start)
        try beside.close()
    }

    private static func replace(_ text: String, by other: String, in path: String) throws {
        var file = try Data(contentsOf: URL(fileURLWithPath: path))
        file.replaceSubrange(try #require(file.range(of: Data(text.utf8))), with: Data(other.utf8))
        try file.write(to: URL(fileURLWithPath: path))
    }

    @Test("A generation whose file changes after the check is refused, and the old generation stays in use")
    func changedFile() async throws {
        let (beside, _) = try await beside("discovery-torn")
        let folder = Discovery.folder(in: beside.data.models)
        let before = folder.current
        let error = await #expect(throws: ReadModelError.self) {
            try await beside.discover { (_, step) throws(ReadModelError) in
                guard step == .offered, let half = folder.halfBuilt else { return }
                try? Self.replace("Tea Road", by: "Tea Rood", in: folder.path(of: half) + "/discovery.sqlite")
            }
        }
        #expect(error?.code == .refused)
        #expect(error?.detail.contains("sealed") == true, "\(String(describing: error))")
        #expect(folder.current == before)
        try beside.close()
    }

    @Test("A generation that a stopped server had opened is completed and offered again")
    func interruptedHandover() async throws {
        let (beside, _) = try await beside("discovery-interrupted")
        let folder = Discovery.folder(in: beside.data.models)
        let offers = Atomic(0)
        let outcome = try await beside.discover { (_, step) throws(ReadModelError) in
            guard step == .offered, offers.add(1, ordering: .relaxed).newValue == 1, let half = folder.halfBuilt else { return }
            _ = try DiscoveryFile.resume(with: half, in: folder)
        }
        #expect(outcome.switcher == .server)
        #expect(offers.load(ordering: .relaxed) == 2)
        #expect(outcome.resumedAt == .start)
        try Self.expectReplayed(beside)
        try beside.close()
    }

    @Test("A generation is locked for a second writer until the first one closes it")
    func twoWriters() async throws {
        let (beside, _) = try await beside("discovery-writers")
        let folder = Discovery.folder(in: beside.data.models)
        let error = #expect(throws: ReadModelError.self) { try GenerationHold(try #require(folder.current), in: folder) }
        #expect(error?.code == .locked)
        try beside.close()
        _ = try GenerationHold(try #require(folder.current), in: folder)
    }

    @Test("Without a server the tool itself switches to the rebuilt discovery model, and back")
    func withoutServer() throws {
        let sample = try AuditSample("discovery-alone")
        let log = try sample.data.log(.readOnly)
        let rebuild = Rebuild(DataFolder(sample.data.path), log: log)
        let first = try rebuild.discovery()
        #expect(first.switcher == .tool)
        #expect(first.previous == nil)
        #expect(first.position == log.head)
        let second = try rebuild.discovery()
        #expect(second.previous == first.generation)
        #expect(second.digest == first.digest)
        #expect(try rebuild.discovery(.rollBack).generation == first.generation)
        #expect(try DiscoveryContent.stored(in: sample.data.models).digest == first.digest)
    }
}
