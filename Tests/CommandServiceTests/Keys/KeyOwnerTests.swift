import CommandService
import Composition
import EventLog
import Foundation
import LMDB
import Loyalty
import LoyaltyCodec
import Merkle
import Testing

/// A start refuses keys of another log, whether or not they note to which log they belong.
@Suite(.fewAtOnce, .timeLimit(.minutes(40))) struct KeyOwnerTests {
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
        proving.acceptsLostKeys = true
        #expect(refusal(site, proving) == nil)
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
