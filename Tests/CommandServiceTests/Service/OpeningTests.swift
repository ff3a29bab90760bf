import CommandService
import Composition
import EventLog
import Foundation
import LMDB
import Loyalty
import LoyaltyCodec
import ReadModels
import Testing
import World

/// Opening a data folder. Only one process can open it at a time, and only with the right secret. It then has the state in which it was
/// closed.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct OpeningTests {
    @Test("A second opening of a folder in the same process is refused until the first one is closed")
    func sameProcess() throws {
        let site = try Site()
        #expect(Self.refusal(of: site.folder.path)?.code == .alreadyOpen)
        try site.close()
        #expect(Self.refusal(of: site.folder.path)?.code == nil)
    }

    @Test("A second process is refused with the id of the process that holds the folder")
    func secondProcess() async throws {
        let site = try Site()
        await #expect(processExitsWith: .success) { [path = site.folder.path as String, holder = getpid() as Int32] in
            let error = OpeningTests.refusal(of: path)
            try #require(error?.code == .locked)
            try #require(error?.text.contains("\(holder)") == true)
        }
        try site.close()
    }

    /// When `close` returns, nothing holds the files any more.
    @Test("A closed folder can be reopened at once")
    func reopenedAtOnce() throws {
        let site = try Site()
        for _ in 0..<60 { try site.reopen() }
    }

    @Test("A log without its keys is opened only if the loss of the keys is accepted")
    func lostKeys() async throws {
        let site = try Site()
        _ = try await customer(1, on: site.service)
        let keys = DataFolder(site.folder.path).keys
        try site.close()
        try FileManager.default.removeItem(atPath: keys)
        #expect(throws: KeyStoreError.missing(path: keys)) { try site.open() }
        #expect(!FileManager.default.fileExists(atPath: keys), "no new keys are made, so that the right ones can still be put there")
        var proving = ProvingOptions()
        proving.acceptsOlderLog = true
        #expect(throws: KeyStoreError.missing(path: keys), "acceptsOlderLog does not permit lost keys") { try site.open(proving: proving) }
        proving.acceptsLostKeys = true
        try site.open(proving: proving)
        try site.close()
    }

    @Test("A folder with a checkpoint and neither events nor keys is refused, and nothing is made in it")
    func anEmptiedFolder() throws {
        let site = try Site()
        let data = DataFolder(site.folder.path)
        try site.close()
        for path in [data.keys, data.log, data.derived] { try FileManager.default.removeItem(atPath: path) }
        let before = try FileManager.default.contentsOfDirectory(atPath: data.path).sorted()
        #expect(throws: KeyStoreError.emptied(path: data.path)) { try site.open() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: data.path).sorted() == before)
    }

    @Test("A folder with a checkpoint or keys and no log is refused, and no new log hides that the old one is gone")
    func aRemovedLog() async throws {
        let site = try Site()
        _ = try await customer(1, on: site.service)
        let data = DataFolder(site.folder.path)
        try site.close()
        try FileManager.default.removeItem(atPath: data.log + "/data.mdb")
        let error = #expect(throws: EventLogError.self) { try site.open() }
        #expect(error?.code == .logLost)
        #expect(!FileManager.default.fileExists(atPath: data.log + "/data.mdb"))
        for path in [data.checkpoint, data.verifierKey] { try FileManager.default.removeItem(atPath: path) }
        #expect(throws: EventLogError.self, "the keys of the old log are not taken over by a new one") { try site.open() }
        #expect(!FileManager.default.fileExists(atPath: data.log + "/data.mdb"))
        var proving = ProvingOptions()
        proving.acceptsOlderLog = true
        proving.acceptsLostKeys = true
        let accepting = #expect(throws: EventLogError.self, "no flag begins an empty log in its place") { try site.open(proving: proving) }
        #expect(accepting?.code == .logLost)
    }

    @Test("Damage of the log ends writing unless the operator accepts it; a removed log ends it always")
    func damagedLog() async throws {
        for accepts in [false, true] {
            let site = try Site()
            try site.close()
            var proving = ProvingOptions()
            proving.acceptsDamagedLog = accepts
            try site.open(proving: proving)
            site.service.noteWholeLog()
            #expect(site.service.isLogWhole)
            #expect(site.service.note(DamagedFile(.log, "a page", remedy: "")) && !site.service.isLogWhole)
            #expect(!site.service.note(DamagedFile(.log, "another page", remedy: "")))
            #expect(site.service.damage.map(\.isAccepted) == [accepts])
            if accepts { _ = try await customer(1, on: site.service) }
            #expect(site.service.note(DamagedFile(.log, "it was removed", remedy: "", kind: .removal)))
            #expect(site.service.damage.map(\.isAccepted) == [false])
            await #expect(throws: ServiceError.self) { try await customer(2, on: site.service) }
            try site.close()
        }
    }

    @Test("A restart keeps the state, even if the derived files were deleted")
    func withoutDerived() async throws {
        let site = try Site()
        let shop = try await TeaShop.open(on: site.service, goal: 3)
        let guest = try await customer(1, on: site.service)
        for _ in 0..<7 { _ = try await site.service.stamp(try await shop.code(on: site.service), by: guest) }
        let before = try world(of: site.service)
        for deletes in [false, true] {
            try site.close()
            if deletes { try FileManager.default.removeItem(atPath: DataFolder(site.folder.path).derived) }
            try site.open()
            #expect(try world(of: site.service) == before)
            try expectPast(site.service.past, toBe: before)
            #expect(await site.service.models.reached(site.service.log.head, timeoutSeconds: 600))
            for (id, card) in before.cards { #expect(try site.service.models.cards.card(id) == card) }
        }
        _ = try await site.service.stamp(try await shop.code(on: site.service), by: guest)
    }

    @Test("A wrong master key is refused with an error that names it, and the right one still opens")
    func wrongSecret() async throws {
        let site = try Site()
        try site.close()
        do {
            try site.open(secret: Array(repeating: 9, count: 32))
            Issue.record("opened with the wrong secret")
        } catch let error as KeyStoreError {
            #expect("\(error)".contains("wrong master key"))
        }
        try site.open()
    }

    /// Returns the storage's error when the folder is opened again, or nil if it opens.
    private static func refusal(of path: String) -> LMDBError? {
        do {
            let service = try GreenTea(
                data: DataFolder(path), master: MasterSecret(bytes: Site.secret), clock: HandClock(), randomness: SystemRandomness())
            try service.close()
            return nil
        } catch {
            return (error as? EventLogError)?.storage
        }
    }
}
