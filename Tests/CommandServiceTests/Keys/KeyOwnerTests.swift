import CommandService
import Composition
import EventLog
import Foundation
import LMDB
import Loyalty
import LoyaltyCodec
import Merkle
import Testing

/// A start refuses keys of another log, whether or not the keys contain a note that names their log.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct KeyOwnerTests {
    private func refusal(_ site: Site, _ proving: ProvingOptions = .init()) -> KeyStoreError? {
        do { try site.open(proving: proving) } catch { return error as? KeyStoreError }
        return nil
    }

    private func close(_ site: Site) throws { try site.close() }

    private func owner(of site: Site) throws -> [UInt8]? {
        let store = try Environment(directory: DataFolder(site.folder.path).keys, access: .readOnly)
        let meta = try store.table("meta")
        let snapshot = try store.snapshot()
        let name = Array(KeyOwner.logEntry.utf8)
        guard let stored = try snapshot.get(meta, name.span) else { return nil }
        return (0..<stored.count).map { stored[$0] }
    }

    /// Makes the keys of another log under the same master key.
    private func makeKeys(in directory: String, hasNote: Bool) throws {
        let store = try KeyStore(
            directory: directory, master: MasterSecret(bytes: Site.secret), randomness: SystemRandomness(), makesRoot: true)
        if hasNote { try store.noteOwner(NoteSigner(name: "other.example/log", seed: store.keys.checkpointSeed).verifierKey) }
    }

    private func forgetOwner(of site: Site) throws {
        let store = try Environment(directory: DataFolder(site.folder.path).keys, access: .readWrite)
        let meta = try store.table("meta")
        var change = try store.write()
        let name = Array(KeyOwner.logEntry.utf8)
        let hadNote = try change.delete(meta, name.span)
        #expect(hadNote)
        try change.commit()
    }

    @Test("Keys of another log are refused by name, with and without a note, until they are given up", arguments: [true, false])
    func foreign(hasNote: Bool) async throws {
        let site = try Site()
        let account = try await site.service.register(phone(1)).id
        let origin = site.service.log.origin
        try close(site)
        let (data, files) = (DataFolder(site.folder.path), FileManager.default)
        let (kept, other) = (site.folder.path + "/kept", site.folder.path + "/other")
        try makeKeys(in: other, hasNote: hasNote)
        try files.moveItem(atPath: data.keys, toPath: kept)
        try files.copyItem(atPath: other, toPath: data.keys)
        let error = try #require(refusal(site))
        #expect(error == .foreign(path: data.keys, log: origin))
        let text = "\(error)"
        #expect(text.hasPrefix("foreignKeys: ") && !text.contains("accept-older-log"), "\(text)")
        #expect(text.contains("cp -a COPY/. \(data.keys)"), "\(text)")
        var proving = ProvingOptions()
        proving.acceptsOlderLog = true
        #expect(refusal(site, proving) == error, "acceptsOlderLog does not permit the keys of another log")
        try files.removeItem(atPath: data.keys)
        try files.copyItem(atPath: kept, toPath: data.keys)
        #expect(refusal(site) == nil)
        #expect(try await site.service.register(phone(1)).id == account)
        try close(site)
        try files.removeItem(atPath: data.keys)
        try files.copyItem(atPath: other, toPath: data.keys)
        proving = ProvingOptions()
        proving.acceptsLostKeys = true
        try #require(refusal(site, proving) == nil)
        try close(site)
        #expect(refusal(site) == nil, "the keys that were accepted are this log's from now on")
        try close(site)
    }

    @Test("Keys of an older program have no note; they open, and get the note of their log")
    func olderKeys() async throws {
        let site = try Site()
        _ = try await site.service.register(phone(1))
        let key = site.service.checkpoints.verifierKey.text
        try close(site)
        #expect(try owner(of: site) == Array(key.utf8))
        try forgetOwner(of: site)
        #expect(refusal(site) == nil)
        try close(site)
        #expect(try owner(of: site) == Array(key.utf8))
    }
}

/// Folders in which a service was started once, and into which somebody then copied files of another folder by hand.
extension KeyOwnerTests {
    /// Returns a closed folder in which a service was started once, with this origin of its log (nil for the default). The log has no
    /// events.
    private func begun(_ origin: String?) throws -> Site {
        let site = try Site()
        guard let origin else {
            try close(site)
            return site
        }
        try close(site)
        for name in try FileManager.default.contentsOfDirectory(atPath: site.folder.path) {
            try FileManager.default.removeItem(atPath: site.folder.path + "/" + name)
        }
        var proving = ProvingOptions()
        proving.origin = origin
        try site.open(secret: Array(site.folder.path.utf8.suffix(32)), proving: proving)
        try close(site)
        return site
    }

    private func secret(of site: Site) -> [UInt8] { Array(site.folder.path.utf8.suffix(32)) }

    private func move(_ parts: [(DataFolder) -> String], from site: Site, to other: Site) throws {
        let files = FileManager.default
        let (from, to) = (DataFolder(site.folder.path), DataFolder(other.folder.path))
        for part in parts {
            if files.fileExists(atPath: part(to)) { try files.removeItem(atPath: part(to)) }
            try files.copyItem(atPath: part(from), toPath: part(to))
        }
        if files.fileExists(atPath: to.derived) { try files.removeItem(atPath: to.derived) }
    }

    @Test("The right log and keys are not called foreign because an older checkpoint lies beside them")
    func leftCheckpoint() async throws {
        for origin in ["tea.example/log", "other.example/log"] {
            let (site, other) = (try begun("tea.example/log"), try begun(origin))
            try site.open(secret: secret(of: site))
            let account = try await site.service.register(phone(1)).id
            try close(site)
            try move([\.log, \.keys], from: site, to: other)
            #expect(throws: EventLogError.self) { try other.open(secret: secret(of: site)) }
            var proving = ProvingOptions()
            proving.acceptsOlderLog = true
            try other.open(secret: secret(of: site), proving: proving)
            #expect(try await other.service.register(phone(1)).id == account)
            try close(other)
        }
    }

    @Test("A log that was copied beside the keys of an empty one is told by its accounts, also where both logs have one name")
    func copiedLog() async throws {
        for origin in ["tea.example/log", "other.example/log"] {
            let (site, other) = (try begun("tea.example/log"), try begun(origin))
            try site.open(secret: secret(of: site))
            _ = try await site.service.register(phone(1))
            try close(site)
            try move([\.log], from: site, to: other)
            #expect(throws: KeyStoreError.foreign(path: DataFolder(other.folder.path).keys, log: "tea.example/log")) {
                try other.open(secret: secret(of: other))
            }
        }
    }

    @Test("A checkpoint of no events is enough beside the log's own keys, and where all accounts were erased", arguments: [true, false])
    func emptyCheckpoint(isErased: Bool) async throws {
        let site = try begun("tea.example/log")
        let (data, files) = (DataFolder(site.folder.path), FileManager.default)
        let first = site.folder.path + "/first"
        try files.copyItem(atPath: data.checkpoint, toPath: first)
        try site.open(secret: secret(of: site))
        let account = try await site.service.register(phone(1)).id
        if isErased { _ = try await site.service.eraseAccount(by: Caller(account: account)) }
        try close(site)
        try forgetOwner(of: site)
        try files.removeItem(atPath: data.checkpoint)
        try files.copyItem(atPath: first, toPath: data.checkpoint)
        try site.open(secret: secret(of: site))
        try close(site)
    }
}
