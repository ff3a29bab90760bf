import CommandService
import Composition
import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Merkle
import Testing

/// The start that gives lost keys up. It needs only one flag, it can be repeated, and if it is refused, it stores no new keys.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct LostKeysTests {
    private let site: Site
    private let files = FileManager.default
    private var data: DataFolder { DataFolder(site.folder.path) }

    init() throws { site = try Site() }

    private var givenUp: ProvingOptions {
        var proving = ProvingOptions()
        proving.acceptsLostKeys = true
        return proving
    }

    private func register(_ numbers: ClosedRange<Int>) async throws {
        for number in numbers { _ = try await site.service.register(phone(number)) }
    }

    private func error(_ proving: ProvingOptions = .init(), _ secret: [UInt8] = Site.secret) -> (any Error)? {
        do { try site.open(secret: secret, proving: proving) } catch { return error }
        return nil
    }

    private func close() throws { try site.close() }

    private func replace(_ path: String, by other: String) throws {
        try files.removeItem(atPath: path)
        try files.copyItem(atPath: other, toPath: path)
    }

    /// Makes new keys in the folder, with a root secret of their own. A start that ends right after making keys leaves the same state.
    private func makeKeys() throws {
        _ = try KeyStore(directory: data.keys, master: MasterSecret(bytes: Site.secret), randomness: SystemRandomness(), makesRoot: true)
    }

    private var opening: CheckpointOpening { site.service.checkpoints.opening }

    @Test("The flag alone is enough, the old checkpoint is set aside, and later starts need no flag", arguments: [1, 2])
    func oneStart(times: Int) async throws {
        try await register(1...2)
        try close()
        try files.removeItem(atPath: data.keys)
        // In this test the root secret is the master secret itself. So a start with the same master secret would make the lost keys again,
        // and the test uses another one.
        let other = [UInt8](repeating: 9, count: 32)
        for time in 1...times {
            try #require(error(givenUp, other) == nil)
            if case .replaced = opening { #expect(time == 1) } else { #expect(time > 1, "\(opening)") }
            try close()
        }
        try #require(error(.init(), other) == nil)
        if case .continued = opening {} else { Issue.record("\(opening)") }
        try await register(1...1)
        try close()
    }

    @Test("A start that was cut short after it stored the keys is refused without the flag, by a text that names it, and finished with it")
    func cutShort() async throws {
        try await register(1...2)
        try close()
        try files.removeItem(atPath: data.keys)
        try makeKeys()
        let refused = try #require(error() as? KeyStoreError)
        #expect(refused == .foreign(path: data.keys, log: try #require(VerifierKey(inFile: data.verifierKey)).name.string))
        #expect("\(refused)".contains("--accept-lost-keys forget-everyone") && !"\(refused)".contains("--accept-older-log"))
        #expect(error(givenUp) == nil)
        try close()
    }

    @Test("A start that was cut short before it stored its checkpoint is finished with the flag and without it", arguments: [true, false])
    func noCheckpoint(hasFlag: Bool) async throws {
        try await register(1...2)
        try close()
        let key = site.folder.path + "/key"
        try files.copyItem(atPath: data.verifierKey, toPath: key)
        try files.removeItem(atPath: data.keys)
        try makeKeys()
        try #require(error(givenUp) == nil)
        try close()
        try files.removeItem(atPath: data.checkpoint)
        try replace(data.verifierKey, by: key)
        #expect(error(hasFlag ? givenUp : .init()) == nil)
        try close()
        #expect(error() == nil)
        try close()
    }

    @Test("If the log is not the one that was here last either, the start is refused before new keys are stored")
    func olderLog() async throws {
        try await register(1...1)
        try close()
        let older = site.folder.path + "/older"
        try files.copyItem(atPath: data.log, toPath: older)
        try site.open()
        try await register(2...3)
        try close()
        try replace(data.log, by: older)
        for path in [data.keys, data.derived] { try files.removeItem(atPath: path) }
        let refused = try #require(error(givenUp) as? EventLogError)
        #expect(refused.code == .rolledBack && refused.detail.contains("--accept-older-log"), "\(refused)")
        #expect(!files.fileExists(atPath: data.keys + "/data.mdb"))
        try files.removeItem(atPath: data.verifierKey)
        #expect((error(givenUp) as? EventLogError)?.code == .checkpointMismatch, "without its key the checkpoint cannot be checked")
        #expect(!files.fileExists(atPath: data.keys + "/data.mdb"))
        var both = givenUp
        both.acceptsOlderLog = true
        #expect(error(both) == nil)
        try close()
    }
}
