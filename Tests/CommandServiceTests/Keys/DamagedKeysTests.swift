import Foundation
import Loyalty
import LoyaltyCodec
import Seeds
import Synchronization
import Testing

@testable import CommandService

/// Damage to the file of the keys, at rest and while it is open.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct DamagedKeysTests {
    private static let pageBytes = 4_096
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(_ path: String? = nil, copiedBytesMax: Int = 0, seed: UInt64 = 0) throws -> KeyStore {
        let master = try MasterSecret(bytes: Array(repeating: 1, count: 32))
        return try KeyStore(
            directory: (path ?? folder.path) + "/keys", master: master, randomness: SeededRandomness(seed: Seed.value &+ seed),
            copiedBytesMax: copiedBytesMax)
    }

    private func number(_ index: Int) -> String { "+86138\(10_000_000 + index)" }

    @Test("A thousand random changes, scrubs and starts leave nothing that is called damaged", arguments: [0, 1 << 14, .max])
    func nothingSoundIsCalledDamaged(copiedBytesMax: Int) throws {
        var seed = SeededRandom.announced("nothingSoundIsCalledDamaged \(copiedBytesMax)")
        for round in 0..<10 { try change(try store(copiedBytesMax: copiedBytesMax, seed: UInt64(round)), from: round * 100, &seed) }
    }

    /// Makes a hundred changes. Each number is claimed for an account that no earlier claim named, as in a registration.
    private func change(_ keys: KeyStore, from first: Int, _ seed: inout SeededRandom) throws {
        for step in first + 1...first + 100 {
            let (account, other) = (AccountID(UInt128(seed.int(1...step))), number(seed.int(1...400)))
            switch seed.int(1...6) {
            case 1: try keys.makeKeys(for: (0..<seed.int(1...40)).map { AccountID(account.value &+ UInt128($0) << 64) })
            case 2: try keys.claim([KeyStore.PhoneClaim(number: other, account: AccountID(UInt128(step)))])
            case 3: _ = try? keys.claimNext(other, for: account)
            case 4: try keys.settle(account, number: other, coming: seed.oneIn(3) ? number(seed.int(1...400)) : nil)
            case 5: try keys.destroyKey(of: account)
            default: try keys.settleUnscrubbed(account, number: other, coming: nil)
            }
            if step.isMultiple(of: 10), let damage = try keys.inspect(rows: true) { throw damage }
        }
    }

    /// Makes a store of some pages, a part of them free, and closes it.
    ///
    /// - Returns: its keys.
    private func made() throws -> [AccountID: DataKey] {
        let keys = try store(copiedBytesMax: .max)
        let accounts = (1...300).map { AccountID(UInt128($0)) }
        try keys.claim(accounts.enumerated().map { KeyStore.PhoneClaim(number: number($0.offset), account: $0.element) })
        try keys.destroyKey(of: AccountID(7))
        for account in accounts where account.value > 280 { try keys.settleUnscrubbed(account, number: "+1", coming: nil) }
        return Dictionary(uniqueKeysWithValues: try accounts.compactMap { account in try keys.key(of: account).map { (account, $0) } })
    }

    /// Opens a copy of the store whose file was changed.
    ///
    /// - Returns: whether the damage was named; if not, everything is as before.
    private func isNamed(_ keys: [AccountID: DataKey], _ change: (inout Data) -> Void) throws -> Bool {
        let copy = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: copy.path + "/keys", withIntermediateDirectories: true)
        var bytes = try Data(contentsOf: URL(filePath: folder.path + "/keys/data.mdb"))
        change(&bytes)
        try bytes.write(to: URL(filePath: copy.path + "/keys/data.mdb"))
        do {
            let store = try store(copy.path)
            for (account, key) in keys { #expect(try store.key(of: account) == key) }
            #expect(try store.inspect(rows: true) == nil)
            return false
        } catch KeyStoreError.damaged(let path, _) {
            #expect(path == copy.path + "/keys")
            return true
        }
    }

    @Test("Each page that is overwritten, zeroed or cut off is named at the start, unless nothing is in it")
    func eachDamagedPageIsNamed() throws {
        let keys = try made()
        var seed = SeededRandom.announced("eachDamagedPageIsNamed")
        let pages = try Data(contentsOf: URL(filePath: folder.path + "/keys/data.mdb")).count / Self.pageBytes
        var (named, cut) = (0, 0)
        for page in 0..<pages {
            let range = page * Self.pageBytes..<(page + 1) * Self.pageBytes
            let noise = Data((0..<Self.pageBytes).map { _ in UInt8.random(in: 0...255, using: &seed) })
            for bytes in [noise, Data(count: Self.pageBytes)] {
                if try isNamed(keys, { $0.replaceSubrange(range, with: bytes) }) { named += 1 }
            }
            if page > 0, try isNamed(keys, { $0.removeSubrange(range.lowerBound...) }) { cut += 1 }
        }
        #expect(pages > 12 && named > pages && cut > pages / 2, "\(named) and \(cut) of \(pages) pages")
    }

    /// The text of the error with which the damaged store is refused.
    private func refusal() throws -> String {
        let error = #expect(throws: KeyStoreError.self) { try store() }
        return try #require(error).description
    }

    @Test("A damaged head page is mended without a loss where it is the older one, or only its beginning is damaged", arguments: 0...1)
    func aDamagedHead(newer: Int) throws {
        let keys = try made()
        let path = URL(filePath: folder.path + "/keys/data.mdb")
        let sound = try Data(contentsOf: path)
        // LMDB's number of the transaction, of one byte here.
        let isFirst = sound[144] > sound[Self.pageBytes + 144]
        let newest = isFirst ? 0 : 1
        let page = newer == 1 ? newest : 1 - newest
        for count in [24, Self.pageBytes] {
            for byte in [0, 0xA5] as [UInt8] {
                let place = page * Self.pageBytes
                var damaged = sound
                damaged.replaceSubrange(place..<place + count, with: Data(repeating: byte, count: count))
                try damaged.write(to: path)
                let said = try refusal()
                #expect(said.contains("`greentea key mend --keys \(folder.path)/keys`"), "\(said)")
                #expect(said.contains("may be lost") == (count > 24), "\(said)")
                let keepsAll = try KeyStore.mend(folder.path + "/keys")
                #expect(keepsAll == (count == 24))
                let again = try KeyStore.mend(folder.path + "/keys")
                #expect(again == nil, "nothing is left to mend")
                let mended = try store()
                // The last change of `made` removed no key.
                for (account, key) in keys { #expect(try mended.key(of: account) == key) }
                _ = try mended.makeKey(for: AccountID(1_000))
                #expect(try mended.inspect(rows: true) == nil)
            }
        }
    }

    @Test("A newer head page with a wrong byte gives way to the older one, without the last change", arguments: [56, 80, 94, 104, 136])
    func aWrongByteInAHead(offset: Int) throws {
        let keys = try made()
        let path = URL(filePath: folder.path + "/keys/data.mdb")
        var bytes = try Data(contentsOf: path)
        bytes[(bytes[144] > bytes[Self.pageBytes + 144] ? 0 : Self.pageBytes) + offset] ^= 0xFF
        try bytes.write(to: path)
        let said = try refusal()
        #expect(said.contains("`greentea key mend --keys \(folder.path)/keys`") && said.contains("may be lost"), "\(said)")
        let keepsAll = try KeyStore.mend(folder.path + "/keys")
        #expect(keepsAll == false)
        let mended = try store()
        // The last change of `made` removed no key.
        for (account, key) in keys { #expect(try mended.key(of: account) == key) }
        #expect(try mended.inspect(rows: true) == nil)
    }

    @Test("Beside other damage, no head page is mended, and the copy is the remedy")
    func aHeadAndAnotherPage() throws {
        _ = try made()
        let path = URL(filePath: folder.path + "/keys/data.mdb")
        var bytes = try Data(contentsOf: path)
        bytes.replaceSubrange(Self.pageBytes..., with: Data(repeating: 0xA5, count: bytes.count - Self.pageBytes))
        try bytes.write(to: path)
        let said = try refusal()
        #expect(said.contains("cp -a COPY/. "), "\(said)")
        let mended = try KeyStore.mend(folder.path + "/keys")
        #expect(mended == nil)
        #expect(try Data(contentsOf: path) == bytes)
    }

    @Test("Damage beneath a running service is found before the storage follows it; keys in memory are still given")
    func damageWhileOpen() throws {
        let keys = try made()
        let store = try store()
        let known = try #require(keys.keys.first)
        #expect(try store.key(of: known) == keys[known])
        let file = try FileHandle(forUpdating: URL(filePath: folder.path + "/keys/data.mdb"))
        let count = Int(try file.seekToEnd())
        for page in 2..<count / Self.pageBytes {
            try file.seek(toOffset: UInt64(page * Self.pageBytes))
            try file.write(contentsOf: Data(repeating: 0xA5, count: Self.pageBytes))
        }
        let damage = try #require(try store.inspect(rows: true))
        guard case .damaged = damage else { throw damage }
        #expect(try store.key(of: known) == keys[known])
        let unknown = try #require(keys.keys.first { $0 != known })
        #expect(throws: damage) { try store.key(of: unknown) }
        #expect(throws: damage) { try store.account(ofPhone: number(1)) }
        #expect(throws: damage) { try store.makeKey(for: AccountID(1_000)) }
    }

    @Test("A changed row is found, and the other rows are used")
    func aChangedRow() throws {
        let keys = try made()
        let store = try store()
        let account = AccountID(9)
        let rows = try store.state.withLock { state -> [[UInt8]] in
            let file = try store.opened(&state)
            let names = try store.rows(of: account, in: file).compactMap { try file.value(file.names, $0) }
            return try [file.value(file.dataKeys, KeyStore.name(of: account))].compactMap(\.self) + names
        }
        #expect(rows.count == 3)
        let path = URL(filePath: folder.path + "/keys/data.mdb")
        for row in rows {
            let before = try Data(contentsOf: path)
            let file = try FileHandle(forUpdating: path)
            var from = before.startIndex
            // Older copies of the row lie in free pages.
            while let place = before[from...].range(of: Data(row)) {
                try file.seek(toOffset: UInt64(place.upperBound - 1))
                try file.write(contentsOf: [row[row.count - 1] ^ 1])
                from = place.upperBound
            }
            #expect(try store.inspect(rows: false) == nil)
            guard case .damaged(_, let what) = try store.inspect(rows: true) else { throw KeyStoreError.noKey }
            #expect(what.contains("account"), "\(what)")
            #expect(try store.key(of: AccountID(11)) == keys[AccountID(11)])
            try file.seek(toOffset: 0)
            try file.write(contentsOf: before)
            #expect(try store.inspect(rows: true) == nil)
        }
    }

    @Test("A file that is removed beneath a running service is named with the place where it still is")
    func removedWhileOpen() throws {
        _ = try made()
        let store = try store()
        try FileManager.default.removeItem(atPath: folder.path + "/keys/data.mdb")
        guard case .removed(_, let what, let path) = try store.inspect(rows: false) else { throw KeyStoreError.noKey }
        let open = try #require(what.firstMatch(of: /\/proc\/[0-9]+\/fd\/[0-9]+/), "\(what)")
        #expect(path == String(open.output))
        #expect(try Data(contentsOf: URL(filePath: path)).count > 12 * Self.pageBytes)
    }

    @Test("A lock file that is overwritten beneath a running service is named, and the next start makes it anew")
    func overwrittenLockFile() throws {
        let keys = try made()
        do {
            let store = try store()
            let lock = try FileHandle(forUpdating: URL(filePath: folder.path + "/keys/lock.mdb"))
            // Closing it would drop the storage's own locks.
            defer { withExtendedLifetime(lock) {} }
            #expect(store.lockDamage == nil)
            try lock.write(contentsOf: Data(repeating: 0xA5, count: Self.pageBytes))
            #expect(store.lockDamage == .lockDamaged(path: folder.path + "/keys"))
            #expect(try store.inspect(rows: true) == .lockDamaged(path: folder.path + "/keys"))
        }
        let store = try store()
        for (account, key) in keys { #expect(try store.key(of: account) == key) }
        #expect(try store.inspect(rows: true) == nil)
    }
}
