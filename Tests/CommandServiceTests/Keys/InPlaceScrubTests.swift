import CommandService
import Composition
import Foundation
import Loyalty
import LoyaltyCodec
import Seeds
import Testing

/// A store that is too large to copy destroys a key by zeroing its bytes in place.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct InPlaceScrubTests {
    /// The number of keys. `GREENTEA_KEYS=1000000` makes a store as large as a city's.
    private static let count = ProcessInfo.processInfo.environment["GREENTEA_KEYS"].flatMap { UInt128($0) } ?? 20_000

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(copiedBytesMax: Int = 0) throws -> KeyStore {
        let master = try MasterSecret(bytes: Array(repeating: 1, count: 32))
        return try KeyStore(
            directory: folder.path + "/keys", master: master, randomness: SeededRandomness(seed: Seed.value),
            copiedBytesMax: copiedBytesMax)
    }

    private var file: Data { get throws { try Data(contentsOf: URL(filePath: folder.path + "/keys/data.mdb")) } }

    private static func name(_ account: AccountID) -> Data {
        Data(stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: account.value >> UInt128($0)) })
    }

    /// Returns an account id from a number. The ids are as scattered as UUIDs, so that the keys are stored in old and new pages.
    private static func account(_ number: UInt128) -> AccountID {
        AccountID((number &* 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835) | 1)
    }

    /// Returns the wrapped key from the file, where it follows the account's id.
    private func wrapped(_ account: AccountID) throws -> Data {
        let file = try file
        let name = try #require(file.range(of: Self.name(account), options: .backwards))
        return file[name.upperBound..<name.upperBound + 61]
    }

    @Test("A destroyed key leaves no byte in a large store, and every other key still opens")
    func nothingIsLeft() throws {
        let store = try store()
        for begin in stride(from: 0, to: Self.count, by: 5_000) {
            try store.makeKeys(for: (begin..<min(begin + 5_000, Self.count)).map(Self.account))
        }
        let doomed = (0..<5).map { Self.account($0 * (Self.count / 5) + 1) }
        let (kept, wrapped) = (Self.account(3), try doomed.map(wrapped))
        let key = try store.key(of: kept)
        for (account, secret) in zip(doomed, wrapped) {
            #expect(try file.range(of: secret) != nil)
            #expect(try store.destroyKey(of: account))
            let after = try file
            // The wrapped key consists of a version, a nonce and a ciphertext. The file must contain none of three 15-byte pieces of it.
            for part in stride(from: 0, through: 40, by: 15) {
                let piece = secret.dropFirst(part).prefix(15)
                #expect(after.range(of: piece) == nil, "\(account) at \(part)")
            }
            #expect(try store.key(of: account) == nil)
        }
        #expect(try store.key(of: kept) == key && key != nil)
        #expect(try doomed.allSatisfy { try !store.destroyKey(of: $0) })
    }

    @Test("Keys made while another key is destroyed are kept")
    func besideOthers() throws {
        let store = try store()
        try store.makeKeys(for: (0..<2_000).map(Self.account))
        DispatchQueue.concurrentPerform(iterations: 16) { turn in
            let round = turn / 2
            if turn % 2 == 0 {
                try? store.makeKeys(for: (0..<200).map { Self.account(UInt128(10_000 + round * 200 + $0)) })
            } else {
                _ = try? store.destroyKey(of: Self.account(UInt128(round * 17)))
            }
        }
        for round in 0..<8 { #expect(try store.key(of: Self.account(UInt128(round * 17))) == nil) }
        for number in 10_000..<11_600 as Range<UInt128> { #expect(try store.key(of: Self.account(number)) != nil) }
    }
}
