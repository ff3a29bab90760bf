import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Patience
import Seeds
import Testing

@testable import CommandService
@testable import Composition

/// A node that has the events of another, and gets from it what events do not hold.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct FollowedEventsTests {
    private func expectKey(of account: AccountID, at follower: Follower, as site: Site) throws {
        let key = try #require(try site.service.keyStore.key(of: account))
        #expect(try follower.keyStore.key(of: account) == key)
    }

    @Test("A thousand registrations take two questions, a restart takes none, and a shop's key comes as well")
    func manyRegistrations() async throws {
        let site = try Site()
        let follower = try Follower(of: site, isStarted: false)
        var accounts: [AccountID] = []
        for number in 0..<1_001 { accounts.append(try await site.service.register(phone(number)).id) }
        try follower.adopt()
        follower.start()
        try await follower.catchUp()
        #expect(follower.peer.questions == [500, 500, 1])
        for account in accounts { try expectKey(of: account, at: follower, as: site) }
        #expect(try follower.keyStore.account(ofPhone: phone(500).text) == accounts[500])
        try follower.close()
        try follower.open()
        try await follower.catchUp()
        #expect(follower.peer.questions == [500, 500, 1])
        let shop = try await TeaShop.open(on: site.service)
        try await follower.catchUp()
        try expectKey(of: shop.shop.keyHolder, at: follower, as: site)
    }

    @Test("A session's end is followed, even while the other node gives no answer")
    func endedSession() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let signedIn = try await site.service.signIn(phone(1))
        try await follower.catchUp()
        #expect(follower.seen.ended.isEmpty)
        follower.peer.goDown()
        _ = try await site.service.register(phone(2))
        let caller = Caller(account: signedIn.account.id)
        _ = try await site.service.submit(.endSession(EndSession(session: signedIn.session)), by: caller)
        try follower.adopt()
        try await eventually("the end is reported") { follower.seen.ended == [signedIn.session] }
    }

    @Test("After an erasure while the node was down, the key is in none of its files, and an old answer does not bring it back")
    func erasedWhileDown() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let shop = try await TeaShop.open(on: site.service)
        try await follower.catchUp()
        let holders = [shop.owner.account, shop.shop.keyHolder]
        let wrapped = try holders.map { try #require(try follower.wrappedKey(of: $0)) }
        for secret in wrapped { #expect(try follower.hasBytes(of: secret)) }
        let old = try site.service.keyRows(of: holders)
        try follower.close()
        _ = try await site.service.eraseAccount(by: shop.owner)
        try follower.open()
        try await follower.catchUp()
        for secret in wrapped { #expect(try !follower.hasBytes(of: secret)) }
        try adopt(old, of: holders, at: follower)
        #expect(try follower.keyStore.lacking(holders) == holders)
        #expect(try follower.keyStore.account(ofPhone: phone(9_001).text) == nil)
    }

    private func adopt(_ rows: [UInt8], of holders: [AccountID], at follower: Follower) throws {
        let past = LogPast(follower.log)
        _ = try follower.keyStore.adopt(rows, of: holders, asOf: .start) { try past.isErased(holder: $0) }
    }

    @Test("An account that was erased before the node came is not asked for, and erasures need no answer")
    func erasedBefore() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let (first, second) = (try await customer(1, on: site.service), try await customer(2, on: site.service))
        try await follower.catchUp()
        follower.peer.goDown()
        let third = try await customer(3, on: site.service)
        _ = try await site.service.eraseAccount(by: first)
        _ = try await site.service.eraseAccount(by: third)
        let asked = follower.peer.questions
        try await follower.catchUp()
        #expect(try follower.keyStore.lacking([first, second, third].map(\.account)) == [first, third].map(\.account))
        #expect(follower.peer.questions == asked)
    }

    @Test("The position is noted only once the keys are stored, and a restart continues from it")
    func notedAfterwards() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        follower.peer.goDown()
        let account = try await site.service.register(phone(1)).id
        try follower.adopt()
        try await eventually("the question fails") { follower.status.failure != nil }
        #expect(follower.status.position == .start && follower.status.lag == follower.log.head.rawValue)
        try follower.close()
        follower.peer.answer(nil)
        try follower.open()
        try await follower.catchUp()
        try expectKey(of: account, at: follower, as: site)
        #expect(try follower.keyStore.followed(in: follower.log) == follower.log.head)
    }

    @Test("A node that has the keys goes on alone, and has the numbers of the log")
    func alone() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let account = try await site.service.register(phone(1)).id
        try adoptKey(of: account, at: follower, as: site)
        follower.peer.goDown()
        try follower.adopt()
        try await eventually("all events are followed") { follower.status.position == follower.log.head }
        #expect(try follower.keyStore.account(ofPhone: phone(1).text) == account)
    }

    private func adoptKey(of account: AccountID, at follower: Follower, as site: Site) throws {
        let rows = try site.service.keyRows(of: [account])
        _ = try follower.keyStore.adopt(rows, of: [account], asOf: .start, keysOnly: true) { _ in false }
    }

    enum Fault: CaseIterable {
        case lost, cut, incomplete, ofAnother, ofAnotherSecret, older

        func answer(_ holders: [AccountID], _ service: GreenTea, _ foreign: KeyStore) throws -> [UInt8] {
            switch self {
            case .lost: throw TestFailure("lost")
            case .cut: try service.keyRows(of: holders).dropLast()
            case .incomplete: try service.keyRows(of: Array(holders.dropLast()))
            case .ofAnother: try service.keyRows(of: [AccountID(1)] + holders.dropFirst())
            case .ofAnotherSecret: try foreign.wrappedRows(of: holders, asOf: service.log.head)
            case .older: try service.keyStore.wrappedRows(of: holders, asOf: Position(1))
            }
        }
    }

    @Test("A wrong answer stores nothing and is asked for again", arguments: Fault.allCases)
    func wrongAnswer(_ fault: Fault) async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let folder = try TemporaryFolder()
        let foreign = try foreignKeys(in: folder)
        follower.peer.answer { try fault.answer($0, $1, foreign) }
        let accounts = [try await site.service.register(phone(1)).id, try await site.service.register(phone(2)).id]
        try follower.adopt()
        try await eventually("it is asked again") { follower.status.failure != nil && follower.peer.questions.count > 1 }
        #expect(try follower.keyStore.lacking(accounts) == accounts)
        #expect(follower.status.position == .start)
        follower.peer.answer(nil)
        try await follower.catchUp()
        for account in accounts { try expectKey(of: account, at: follower, as: site) }
    }

    private func foreignKeys(in folder: TemporaryFolder) throws -> KeyStore {
        try KeyStore(
            directory: folder.path, master: MasterSecret(bytes: Array(repeating: 9, count: 32)),
            randomness: SeededRandomness(seed: Seed.value))
    }

    @Test("A key that the other node lacks delays nothing, and is asked for again")
    func lostKey() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let folder = try TemporaryFolder()
        let empty = try emptyKeys(in: folder)
        follower.peer.answer { try empty.wrappedRows(of: $0, asOf: $1.log.head) }
        let account = try await site.service.register(phone(1)).id
        try await follower.catchUp()
        #expect(try follower.status.awaited == 1 && follower.keyStore.lacking([account]) == [account])
        try follower.close()
        follower.peer.answer(nil)
        try follower.open()
        try await eventually("the key is there") { try follower.keyStore.awaitedHolders().isEmpty }
        try expectKey(of: account, at: follower, as: site)
        #expect(try follower.keyStore.account(ofPhone: phone(1).text) == account)
    }

    private func emptyKeys(in folder: TemporaryFolder) throws -> KeyStore {
        try KeyStore(
            directory: folder.path, master: MasterSecret(bytes: Site.secret), randomness: SeededRandomness(seed: Seed.value + 2))
    }

    @Test("A note that was made with another log does not count, even if that log is as long")
    func otherLog() async throws {
        let (site, other) = (try Site(), try Site())
        _ = try await site.service.register(phone(1))
        _ = try await other.service.register(phone(2))
        let (log, store) = (site.service.log, site.service.keyStore)
        try note(log.head, in: log, store)
        #expect(try store.followed(in: log) == log.head && log.head == other.service.log.head)
        #expect(try store.followed(in: other.service.log) == .start)
    }

    private func note(_ position: Position, in log: EventLog, _ store: KeyStore) throws { try store.noteFollowed(position, in: log) }
}
