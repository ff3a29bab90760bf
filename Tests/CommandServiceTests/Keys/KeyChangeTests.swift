import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Patience
import Seeds
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// Destroying keys, and rewrapping keys with a new secret. No file in the folder may keep the old bytes.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct KeyChangeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func master(_ byte: UInt8) throws -> MasterSecret { try MasterSecret(bytes: Array(repeating: byte, count: 32)) }

    private func store(_ secret: UInt8 = 1, makesRoot: Bool = false) throws -> KeyStore {
        try KeyStore(
            directory: folder.path + "/keys", master: master(secret), randomness: SeededRandomness(seed: Seed.value), makesRoot: makesRoot)
    }

    /// Returns the bytes of every file. A stored key begins with a version and a nonce, so its bytes occur nowhere else.
    private func stored() throws -> [UInt8] {
        try folder.files.sorted().reduce(into: []) { $0 += try Data(contentsOf: URL(filePath: $1)) }
    }

    private func count(of needle: [UInt8], in bytes: [UInt8]) -> Int {
        Data(bytes).ranges(of: Data(needle)).count
    }

    @Test("The note of the last copy is gone before a key is wrapped anew, so that a change that is cut short leaves none")
    func noteOfCopy() throws {
        let store = try store(makesRoot: true)
        _ = try store.makeKey(for: AccountID(1))
        let note = folder.path + "/last-key-backup"
        try Data("events 1".utf8).write(to: URL(filePath: note))
        try store.state.withLock { state in
            let file = try store.opened(&state)
            try file.put([(file.dataKeys, [UInt8](repeating: 1, count: 16), [1, 2, 3])])
        }
        #expect(throws: (any Error).self, "a row that is no key") { try store.rotate(to: master(2), removing: note) }
        #expect(!FileManager.default.fileExists(atPath: note))
    }

    @Test("A destroyed key stays gone after the store is reopened, and the other keys stay")
    func destroyedKey() throws {
        let others = (2...40).map { AccountID($0) }
        var kept: [AccountID: DataKey] = [:]
        do {
            let store = try store()
            for account in others { kept[account] = try store.makeKey(for: account) }
            _ = try store.makeKey(for: AccountID(1))
            #expect(try store.destroyKey(of: AccountID(1)))
            #expect(try store.key(of: AccountID(1)) == nil)
            #expect(try !store.destroyKey(of: AccountID(1)))
            for account in others { #expect(try store.key(of: account) == kept[account]) }
        }
        let again = try store()
        #expect(try again.key(of: AccountID(1)) == nil)
        for account in others { #expect(try again.key(of: account) == kept[account]) }
    }

    /// An account whose id resembles nothing else in a file. In every page that ever contained the account's key, the id comes right before
    /// the key.
    private let account = AccountID(0x0123_4567_89AB_CDEF_0011_2233_4455_6677)
    private let name: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77]

    @Test("No file of the folder holds an account's id once the account's key is destroyed")
    func noFile() throws {
        let store = try store()
        _ = try store.makeKey(for: account)
        for number in 1...20 { _ = try store.makeKey(for: AccountID(UInt128(number))) }
        #expect(try count(of: name, in: stored()) > 1, "each change of the store has left a copy of the account's id")
        try store.destroyKey(of: account)
        #expect(try count(of: name, in: stored()) == 0)
    }

    /// A crash leaves this state: the row is removed, but the file still has the key's bytes.
    @Test("A start completes the scrub of a key whose row is already removed")
    func interruptedScrub() throws {
        do {
            let store = try store()
            _ = try store.makeKey(for: account)
            _ = try store.makeKey(for: AccountID(2))
        }
        do {
            let file = try KeyFile(directory: folder.path + "/keys")
            #expect(try file.removeKey(name))
        }
        #expect(try count(of: name, in: stored()) > 0)
        let again = try store()
        #expect(try count(of: name, in: stored()) == 0)
        #expect(try again.key(of: account) == nil)
        #expect(try again.key(of: AccountID(2)) != nil)
    }

    /// Scrubbing the file fails while the key is destroyed.
    @Test("A retry completes a failed destruction of a key, and until then the key opens nothing")
    func failedDestruction() throws {
        let store = try store()
        _ = try store.makeKey(for: account)
        _ = try store.makeKey(for: AccountID(2))
        let (file, away) = (folder.path + "/keys/data.mdb", folder.path + "/keys/away")
        try FileManager.default.moveItem(atPath: file, toPath: away)
        #expect(throws: (any Error).self) { try store.destroyKey(of: account) }
        #expect(try store.key(of: account) == nil)
        try FileManager.default.moveItem(atPath: away, toPath: file)
        #expect(try count(of: name, in: stored()) > 0)
        try store.destroyKey(of: account)
        #expect(try count(of: name, in: stored()) == 0)
        #expect(try store.key(of: AccountID(2)) != nil)
    }

    @Test("If the destruction of one of several keys fails, none of these keys decrypts anything until a retry succeeds")
    func severalKeys() throws {
        let store = try store()
        let accounts = [AccountID(2), account]
        try store.makeKeys(for: accounts)
        let (file, away) = (folder.path + "/keys/data.mdb", folder.path + "/keys/away")
        try FileManager.default.moveItem(atPath: file, toPath: away)
        #expect(throws: (any Error).self) { try store.destroyKeys(of: accounts) }
        for account in accounts { #expect(try store.key(of: account) == nil) }
        try FileManager.default.moveItem(atPath: away, toPath: file)
        try store.destroyKeys(of: accounts)
        #expect(try count(of: name, in: stored()) == 0)
    }

    /// Holds the lock on `lock.mdb` that another process has while it has the key store open. For the kernel, a lock of an open file
    /// description conflicts with the locks of this process like a lock of another process.
    private final class OtherProcess {
        /// `F_OFD_SETLK` of `<fcntl.h>`.
        private static let setLock: Int32 = 37

        private let file: FileHandle

        init(in directory: String) throws {
            file = try FileHandle(forUpdating: URL(filePath: directory + "/lock.mdb"))
            var lock = flock()
            (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(F_RDLCK), Int16(SEEK_SET), 0, 1)
            let result = unsafe fcntl(file.fileDescriptor, Self.setLock, &lock)
            try #require(result == 0)
        }
    }

    /// The number of keys decides whether the number of the file's last transaction is even or odd.
    @Test("The destruction of a key keeps all other keys, also while another process has the store open", arguments: [2, 3])
    func besideAnotherProcess(count: Int) throws {
        let others = (0..<count).map { AccountID(UInt128(10 + $0)) }
        do {
            let store = try store()
            _ = try store.makeKey(for: account)
            for account in others { _ = try store.makeKey(for: account) }
            let other = try OtherProcess(in: folder.path + "/keys")
            #expect(try store.destroyKey(of: account))
            _ = try store.makeKey(for: AccountID(99))
            withExtendedLifetime(other) {}
        }
        let again = try store()
        for account in others + [AccountID(99)] { #expect(try again.key(of: account) != nil) }
        #expect(try again.key(of: account) == nil)
    }

    @Test("A key that is marked for destruction opens nothing, even if its row is still in the file")
    func markedKey() throws {
        let store = try store()
        _ = try store.makeKey(for: account)
        var held: KeyFile?
        store.state.withLock { swap(&$0.file, &held) }
        // The test still holds the file open, so the store cannot open it again.
        #expect(throws: (any Error).self) { try store.destroyKey(of: account) }
        store.state.withLock { swap(&$0.file, &held) }
        #expect(try store.key(of: account) == nil)
        #expect(try store.destroyKey(of: account))
        #expect(try count(of: name, in: stored()) == 0)
    }

    @Test("A file that could not be reopened is opened at the next request")
    func aFailedReopeningIsNoEnd() throws {
        let store = try store()
        _ = try store.makeKey(for: account)
        store.state.withLock { $0.file = nil }
        #expect(try store.destroyKey(of: account))
        #expect(try store.key(of: account) == nil)
    }

    /// The lock is held during every flush, and while the file is scrubbed.
    @Test("The use of the memory map can be read while another thread holds the store's lock")
    func usageWhileLocked() throws {
        let store = try store()
        let usage = Mutex<MapUsage?>(nil)
        let done = DispatchSemaphore(value: 0)
        let read: @Sendable () -> Void = {
            let now = store.mapUsage
            usage.withLock { $0 = now }
            done.signal()
        }
        let isRead = store.state.withLock { _ in
            DispatchQueue.global().async(execute: read)
            return done.wait(timeout: .now() + patienceSeconds) == .success
        }
        #expect(isRead)
        let last = usage.withLock { $0 }
        #expect(last != nil && last == store.mapUsage)
    }

    @Test("A new master secret opens every key and the old one none, and codes and seeds stay the same")
    func newSecret() throws {
        let (before, key, wrapped) = try { () throws -> (Keys, DataKey, [UInt8]) in
            let store = try store()
            let key = try store.makeKey(for: account)
            for number in 2...30 { _ = try store.makeKey(for: AccountID(UInt128(number))) }
            let wrapped = try stored()
            #expect(try store.rotate(to: master(2)) == 30)
            return (store.keys, key, wrapped)
        }()
        #expect(throws: KeyStoreError.self) { try store(1) }
        let after = try store(2)
        #expect(try after.key(of: account) == key)
        // Codes, look-ups and signatures, on which the log depends, stay the same.
        #expect(after.keys.secret(ofPhone: "+8613800138000") == before.secret(ofPhone: "+8613800138000"))
        #expect(after.keys.stampCode(for: CodeID(5), attempt: 0) == before.stampCode(for: CodeID(5), attempt: 0))
        #expect(after.keys.checkpointSeed == before.checkpointSeed && after.keys.tokenSigningSeed == before.tokenSigningSeed)
        // The key as the old master secret wrapped it is gone. Its 61 bytes in the old file do not occur in the new file.
        let old = try #require(Data(wrapped).firstRange(of: Data(name)))
        let box = Array(wrapped[old.upperBound..<old.upperBound + 61])
        #expect(count(of: box, in: wrapped) > 0)
        #expect(try count(of: box, in: stored()) == 0)
    }

    @Test("A change of the master secret whose end fails says that the new secret is in force, and the next start completes it")
    func unfinishedChange() throws {
        let (file, away) = (folder.path + "/keys/data.mdb", folder.path + "/keys/away")
        let key = try { () throws -> DataKey in
            let store = try store()
            let key = try store.makeKey(for: account)
            try FileManager.default.moveItem(atPath: file, toPath: away)
            let error = #expect(throws: KeyStoreError.self) { try store.rotate(to: master(2)) }
            #expect(error?.description.contains("the new master key is in force") == true, "\(String(describing: error))")
            try FileManager.default.moveItem(atPath: away, toPath: file)
            return key
        }()
        #expect(throws: KeyStoreError.wrongMasterSecret) { try store(1) }
        #expect(try store(2).key(of: account) == key)
        let keys = try KeyFile(directory: folder.path + "/keys")
        #expect(try keys.value(keys.meta, KeyFile.Entry.unscrubbed.name) == nil)
    }

    @Test("A master secret can be rotated repeatedly, and only the last one opens the store")
    func rotatedTwice() throws {
        let first = try store(1, makesRoot: true)
        let key = try first.makeKey(for: AccountID(1))
        let seed = first.keys.checkpointSeed
        _ = try first.rotate(to: master(2))
        _ = consume first
        _ = try store(2).rotate(to: master(3))
        do {
            let last = try store(3)
            #expect(try last.key(of: AccountID(1)) == key)
            #expect(last.keys.checkpointSeed == seed)
        }
        for old in [1, 2] as [UInt8] { #expect(throws: KeyStoreError.self) { try store(old) } }
    }

    @Test("A random root secret does not depend on the master secret, and is the same at every start")
    func randomRoot() throws {
        let keys = try store(1, makesRoot: true).keys
        #expect(keys.secret(ofPhone: "+8613800138000") != Keys(try master(1)).secret(ofPhone: "+8613800138000"))
        // The root secret is the same at every start, whatever options the start has for a new folder.
        #expect(try store(1).keys.checkpointSeed == keys.checkpointSeed)
        #expect(throws: KeyStoreError.self) { try store(2) }
    }

    @Test("Each generation of a phone has its own hash")
    func ownHash() throws {
        let keys = Keys(try master(1))
        let hashes = (0..<100).map { keys.secret(ofPhone: "+8613800138000", generation: $0) }
        #expect(Set(hashes).count == 100 && hashes[0] == keys.secret(ofPhone: "+8613800138000"))
    }
}
