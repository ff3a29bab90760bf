import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Seeds
import Synchronization
import Testing

@testable import CommandService

/// Keys and phones that one node sends to another with the same root secret.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct KeyRowsTests {
    private static let (first, second, third) = (AccountID(1 << 64 | 7), AccountID(2 << 64 | 7), AccountID(3 << 64 | 7))

    private let folders: [TemporaryFolder]

    init() throws { folders = try (0..<3).map { _ in try TemporaryFolder() } }

    /// The keys of one node. Nodes have different randomness, because a nonce must not be used twice.
    private func store(_ node: Int, master: UInt8 = 1, copiedBytesMax: Int = 0) throws -> KeyStore {
        try KeyStore(
            directory: folders[node].path + "/keys", master: MasterSecret(bytes: Array(repeating: master, count: 32)),
            randomness: SeededRandomness(seed: Seed.value + UInt64(node)), copiedBytesMax: copiedBytesMax)
    }

    private func claim(_ number: String, _ account: AccountID, in store: KeyStore) throws {
        try store.claim([KeyStore.PhoneClaim(number: number, account: account)])
    }

    @discardableResult
    private func send(
        _ holders: [AccountID], from: KeyStore, to: KeyStore, erased: Set<AccountID> = []
    ) throws -> KeyStore.Adoption {
        try to.adopt(from.wrappedRows(of: holders, asOf: Position(5)), of: holders, asOf: Position(5)) { erased.contains($0) }
    }

    @Test("A key and its numbers arrive at a node with another master secret")
    func arrives() throws {
        let from = try store(0)
        try claim("+861", Self.first, in: from)
        #expect(try from.claimNext("+862", for: Self.first) == Self.first)
        // The other node begins with the same root secret, under a master secret of its own.
        _ = try store(1).rotate(to: MasterSecret(bytes: Array(repeating: 2, count: 32)))
        try receive(Self.first, from: from)
        let to = try store(1, master: 2)
        #expect(try to.key(of: Self.first) == from.key(of: Self.first))
        #expect(try to.account(ofPhone: "+861") == Self.first && to.account(ofPhone: "+862") == Self.first)
        #expect(try to.unsettledAccounts() == [Self.first])
    }

    /// Opens and closes the keys of node 1.
    private func receive(_ account: AccountID, from: KeyStore) throws {
        let to = try store(1, master: 2)
        let adoption = try send([account], from: from, to: to)
        #expect(adoption.absent.isEmpty && adoption.displaced.isEmpty)
        #expect(try to.key(of: account) == from.key(of: account) && from.key(of: account) != nil)
    }

    @Test("An answer that was cut, changed or made elsewhere is refused, and nothing is stored")
    func hostile() throws {
        let (from, to) = (try store(0), try store(1))
        try claim("+861", Self.first, in: from)
        try claim("+862", Self.second, in: from)
        let right = try from.wrappedRows(of: [Self.first], asOf: Position(5))
        var wrong = (0..<right.count).map { Array(right.prefix($0)) }
        for place in right.indices {
            var changed = right
            changed[place] ^= 1
            wrong.append(changed)
        }
        let foreign = try store(2, master: 3)
        try claim("+861", Self.first, in: foreign)
        wrong.append(try foreign.wrappedRows(of: [Self.first], asOf: Position(5)))
        wrong.append(right + [0])
        for message in wrong {
            #expect(throws: KeyRowsError.notAuthentic) { try to.adopt(message, of: [Self.first], asOf: Position(5)) { _ in false } }
        }
        for others in [[], [Self.second], [Self.first, Self.second]] {
            #expect(throws: KeyRowsError.otherHolders) { try to.adopt(right, of: others, asOf: Position(5)) { _ in false } }
        }
        #expect(throws: KeyRowsError.older(Position(5), than: Position(6))) {
            try to.adopt(right, of: [Self.first], asOf: Position(6)) { _ in false }
        }
        #expect(try to.key(of: Self.first) == nil && to.account(ofPhone: "+861") == nil && to.awaitedHolders().isEmpty)
        _ = try to.adopt(right, of: [Self.first], asOf: Position(5)) { _ in false }
        #expect(try to.account(ofPhone: "+861") == Self.first)
    }

    @Test("A different key is never overwritten, and then nothing else of the answer is stored")
    func otherKey() throws {
        let (from, to) = (try store(0), try store(1))
        try claim("+861", Self.first, in: from)
        try claim("+862", Self.second, in: from)
        let own = try to.makeKey(for: Self.second)
        #expect(throws: KeyRowsError.otherKey(Self.second)) { try send([Self.first, Self.second], from: from, to: to) }
        #expect(try to.key(of: Self.second) == own && to.key(of: Self.first) == nil && to.account(ofPhone: "+861") == nil)
    }

    @Test("A key that the log has erased is not stored again, nor one that is being destroyed")
    func erased() throws {
        let (from, to) = (try store(0), try store(1))
        try claim("+861", Self.first, in: from)
        try claim("+862", Self.second, in: from)
        to.state.withLock { _ = $0.condemned.insert(Self.second) }
        try send([Self.first, Self.second], from: from, to: to, erased: [Self.first])
        #expect(try to.lacking([Self.first, Self.second]) == [Self.first, Self.second])
        #expect(try to.account(ofPhone: "+861") == nil && to.account(ofPhone: "+862") == nil && to.awaitedHolders().isEmpty)
        from.state.withLock { _ = $0.condemned.insert(Self.first) }
        #expect(try send([Self.first], from: from, to: to).absent == [Self.first], "no node gives away a key that it destroys")
    }

    @Test("A number that an account no longer has leaves no byte, whether the file is copied or zeroed in place", arguments: [0, 1 << 30])
    func releasedNumber(copiedBytesMax: Int) throws {
        let (from, to) = (try store(0), try store(1, copiedBytesMax: copiedBytesMax))
        try claim("+861", Self.first, in: from)
        try claim("+869", Self.third, in: from)
        try send([Self.first, Self.third], from: from, to: to)
        let row = try #require(try row(of: "+861", in: to))
        try from.settle(Self.first, number: "+862", coming: nil)
        try send([Self.first], from: from, to: to)
        #expect(try to.account(ofPhone: "+861") == nil && to.account(ofPhone: "+862") == Self.first)
        #expect(try to.account(ofPhone: "+869") == Self.third && to.key(of: Self.first) == from.key(of: Self.first))
        let file = try Data(contentsOf: URL(filePath: folders[1].path + "/keys/data.mdb"))
        for part in [0, 8, 16, 24] { #expect(file.range(of: Data(row[part..<part + 8])) == nil) }
    }

    private func row(of number: String, in store: KeyStore) throws -> [UInt8]? {
        try store.state.withLock { state in
            let file = try store.opened(&state)
            return try file.value(file.names, KeyStore.Row.account.name(store.keys.phoneName(of: number)))
        }
    }

    @Test("A number goes from one account to the next, whether both are in one answer or only the next", arguments: [true, false])
    func passedOn(isTogether: Bool) throws {
        let (from, to) = (try store(0), try store(1))
        try claim("+861", Self.first, in: from)
        try send([Self.first], from: from, to: to)
        try from.settle(Self.first, number: "+862", coming: nil)
        try claim("+861", Self.second, in: from)
        let adoption = try send(isTogether ? [Self.first, Self.second] : [Self.second], from: from, to: to)
        #expect(try to.account(ofPhone: "+861") == Self.second && to.key(of: Self.first) != nil)
        #expect(adoption.displaced == (isTogether ? [] : [Self.first]))
        #expect(try to.awaitedHolders() == (isTogether ? [] : [Self.first]))
        #expect(try to.accountWithLooseNumber(in: to.state.withLock { try to.opened(&$0) }) == nil)
        try send([Self.first], from: from, to: to)
        #expect(try to.account(ofPhone: "+862") == Self.first && to.awaitedHolders().isEmpty)
    }

    @Test("A key that the other node lacks is awaited until it is there, or destroyed")
    func awaited() throws {
        let (from, to) = (try store(0), try store(1))
        #expect(try send([Self.first, Self.second, Self.third], from: from, to: to).absent == [Self.first, Self.second, Self.third])
        #expect(try to.awaitedHolders() == [Self.first, Self.second, Self.third])
        #expect(try to.awaitedHolders(after: Self.first, limit: 1) == [Self.second])
        try claim("+861", Self.first, in: from)
        try send([Self.first, Self.second], from: from, to: to, erased: [Self.second])
        #expect(try to.awaitedHolders() == [Self.third])
        try to.destroyKey(of: Self.third)
        #expect(try to.awaitedHolders().isEmpty)
    }
}
