import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import SharedLogs
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// Keys and phones of a writer, which another node has on its disk before the event that needs them.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct CourierTests {
    private static let alone = ServiceError.noSecondCopy("\(CourierError.noPeer("no other node seems alive"))")

    /// Lets node "b" take what the site's service stores.
    private func connect(_ site: Site, to peer: ScriptedPeer) {
        let peers = Peers([peer], of: site.service)
        peers.update(.of(.test(.b, peer.url)), term: 1)
        site.service.setCourier(peers.courier(term: 1))
    }

    private func cutOff(_ site: Site) { site.service.setCourier(Peers(of: site.service).courier(term: 1)) }

    private func change(_ signedIn: SignedIn, to number: E164Number, _ service: GreenTea) async throws {
        let code = try service.verifications.begin(for: number).code
        let change = PhoneChange(to: number, code: code, currentCode: nil, keeping: signedIn.session, from: .unknown)
        _ = try await service.changePhone(change, by: Caller(account: signedIn.account.id))
    }

    @Test("A registration without another node adds no event, and one with it gets the same account")
    func alone() async throws {
        let site = try Site()
        let service = site.service
        cutOff(site)
        await #expect(throws: Self.alone) { try await service.register(phone(1)) }
        #expect(service.log.head == .start)
        let claimed = try #require(try service.keyStore.account(ofPhone: phone(1).text))
        let peer = ScriptedPeer()
        connect(site, to: peer)
        #expect(try await service.register(phone(1)).id == claimed)
        #expect(peer.deliveries == [ScriptedPeer.Delivery(holders: [claimed], term: 1)])
    }

    @Test("Rows of accounts, shops and numbers are delivered while the log has no event about them")
    func order() async throws {
        let site = try Site()
        let service = site.service
        let peer = ScriptedPeer()
        let heads = Mutex<[Position]>([])
        peer.keep { _, _, _ in heads.withLock { $0.append(service.log.head) } }
        connect(site, to: peer)
        defer { service.setCourier(nil) }
        /// The next event must come after the only delivery.
        func expectDelivery(_ what: String, _ work: () async throws -> Void) async throws {
            let head = service.log.head
            heads.withLock { $0 = [] }
            try await work()
            #expect(heads.withLock { $0 } == [head], "\(what)")
            #expect(service.log.head > head, "\(what)")
        }
        let owner = Caller(account: try await service.register(phone(9)).id)
        try await expectDelivery("a registration") { _ = try await service.register(phone(8)) }
        try await expectDelivery("a shop") {
            _ = try await service.openShop(
                name: "绿茶", phone: "+86 21 5555", address: "1 Tea Road", location: Coordinate(latitude: 31.2, longitude: 121.5), by: owner)
        }
        let shop = try await TeaShop.open(on: service)
        try await expectDelivery("a card that waits") {
            _ = try await service.giveStamps(NumberGift(1, at: CampaignPlace(shop.campaign), toPhone: phone(1), by: shop.owner))
        }
        try await expectDelivery("a requested number") {
            _ = try await service.requestPhoneChange(of: owner.account, to: phone(3), reason: "Stolen", by: shop.owner)
        }
        let signedIn = try await service.signIn(phone(8))
        try await expectDelivery("a number") { try await change(signedIn, to: phone(4), service) }
    }

    @Test("Stamps, sign-ins and edits of a shop need no other node once the log knows everybody")
    func goesOn() async throws {
        let site = try Site()
        let service = site.service
        let peer = ScriptedPeer()
        connect(site, to: peer)
        let shop = try await TeaShop.open(on: service)
        let holder = try await customer(1, on: service)
        func give(_ number: Int) async throws {
            _ = try await service.giveStamps(NumberGift(1, at: CampaignPlace(shop.campaign), toPhone: phone(number), by: shop.owner))
        }
        try await give(2)
        let delivered = peer.deliveries
        cutOff(site)
        _ = try await service.stamp(try await shop.code(on: service), by: holder)
        for number in [1, 2] { try await give(number) }
        _ = try await service.signIn(phone(1))
        _ = try await service.editShop(EditShop(shop: shop.shop, expected: .any, name: "红茶"), by: shop.owner)
        await #expect(throws: Self.alone) { try await give(3) }
        #expect(peer.deliveries == delivered)
    }

    @Test("A number whose delivery fails stays free, and the codes stay valid")
    func refusedNumber() async throws {
        let site = try Site()
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        let head = service.log.head
        let code = try service.verifications.begin(for: phone(2)).code
        let change = PhoneChange(to: phone(2), code: code, currentCode: nil, keeping: signedIn.session, from: .unknown)
        cutOff(site)
        await #expect(throws: Self.alone) { try await service.changePhone(change, by: Caller(account: signedIn.account.id)) }
        #expect(service.log.head == head)
        #expect(try service.account(ofPhone: phone(1))?.id == signedIn.account.id && service.account(ofPhone: phone(2)) == nil)
        connect(site, to: ScriptedPeer())
        _ = try await service.changePhone(change, by: Caller(account: signedIn.account.id))
        #expect(try service.account(ofPhone: phone(2))?.id == signedIn.account.id)
    }

    @Test("Cards that an operator's request sets aside are delivered by the next attempt, too")
    func setAside() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let gift = NumberGift(1, at: CampaignPlace(shop.campaign), toPhone: phone(1), by: shop.owner)
        let waiting = try #require(try await service.giveStamps(gift).cards.first?.holder)
        let account = try await service.register(phone(2)).id
        func request() async throws {
            _ = try await service.requestPhoneChange(of: account, to: phone(1), reason: "Stolen", by: shop.owner)
        }
        cutOff(site)
        await #expect(throws: Self.alone) { try await request() }
        let peer = ScriptedPeer()
        connect(site, to: peer)
        try await request()
        #expect(peer.deliveries.map(\.holders) == [[waiting, account]])
    }

    // MARK: The receiver

    @Test("A node takes keys and phones of an event that it does not have yet")
    func receives() async throws {
        let site = try Site()
        let receiver = try FollowingSite(of: site)
        let peer = ScriptedPeer()
        let isThere = Mutex(false)
        peer.keep { [service = receiver.service] rows, holders, term in
            try service.keepRows(rows, of: holders, term: term)
            let claimed = try service.keyStore.account(ofPhone: phone(1).text)
            isThere.withLock { $0 = claimed == holders[0] && service.log.head == .start }
        }
        connect(site, to: peer)
        defer { site.service.setCourier(nil) }
        let account = try await site.service.register(phone(1)).id
        #expect(isThere.withLock { $0 })
        #expect(try receiver.service.keyStore.key(of: account) == site.service.keyStore.key(of: account))
        try await eventually("the event arrives") { receiver.service.log.head == site.service.log.head }
        #expect(try receiver.service.keyStore.account(ofPhone: phone(1).text) == account)
    }

    /// Claims a number in the site's keys, without an event.
    private func claim(_ number: Int, _ account: AccountID, at site: Site) throws -> [UInt8] {
        try site.service.keyStore.claim([KeyStore.PhoneClaim(number: phone(number).text, account: account)])
        return try site.service.keyRows(of: [account])
    }

    @Test("Rows of an older term, and another key of an account, are refused")
    func refusedRows() throws {
        let site = try Site()
        let follower = try FollowingSite(of: site)
        let (first, second) = (AccountID(1 << 64 | 7), AccountID(2 << 64 | 7))
        let rows = try claim(1, first, at: site)
        follower.service.note(term: 3)
        #expect(throws: KeyRowsError.olderTerm(2, newest: 3)) { try follower.keep(rows, [first], term: 2) }
        #expect(try follower.service.keyStore.key(of: first) == nil)
        try follower.keep(rows, [first], term: 4)
        #expect(throws: KeyRowsError.olderTerm(3, newest: 4)) { try follower.keep(rows, [first], term: 3) }
        let own = try follower.service.keyStore.makeKey(for: second)
        #expect(throws: KeyRowsError.otherKey(second)) { try follower.keep(try claim(2, second, at: site), [second], term: 4) }
        #expect(try follower.service.keyStore.key(of: second) == own)
        #expect(throws: KeyRowsError.otherHolders) { try follower.keep(rows, [second], term: 4) }
    }

    @Test("The writer takes no rows")
    func writerRefuses() throws {
        let site = try Site()
        let rows = try claim(1, AccountID(7), at: site)
        func keep() throws { try site.service.keepRows(rows, of: [AccountID(7)], term: 1) }
        #expect(throws: KeyRowsError.receiverWrites) { try keep() }
    }

    @Test("A number stays with the account that has it by the log, and one without a registration gives it up")
    func takenNumber() async throws {
        let site = try Site()
        let receiver = try FollowingSite(of: site)
        let account = try await site.service.register(phone(1)).id
        try await eventually("the phone arrives") { try receiver.service.keyStore.account(ofPhone: phone(1).text) == account }
        try expectTaken(from: account, at: receiver)
        #expect(try receiver.service.keyStore.account(ofPhone: phone(1).text) == account)
    }

    private func expectTaken(from account: AccountID, at receiver: FollowingSite) throws {
        let (stale, store) = (try Site(), receiver.service.keyStore)
        let (orphan, other, next) = (AccountID(7), AccountID(8), AccountID(9))
        let rows = try claim(1, other, at: stale)
        #expect(throws: KeyRowsError.takenNumber(account, asOf: .start)) { try receiver.keep(rows, [other]) }
        #expect(try store.key(of: other) == nil)
        // The event of this registration was refused. Another writer registers the number.
        try receiver.keep(try claim(2, orphan, at: stale), [orphan])
        let winner = try Site()
        try receiver.keep(try claim(2, next, at: winner), [next], term: 2)
        #expect(try store.account(ofPhone: phone(2).text) == next)
    }

    @Test("A number that an event on its way has freed is taken once the event is here")
    func freedMeanwhile() async throws {
        let site = try Site()
        let receiver = try FollowingSite(of: site)
        let service = site.service
        let signedIn = try await service.signIn(phone(1))
        try await eventually("the phone arrives") {
            try receiver.service.keyStore.account(ofPhone: phone(1).text) == signedIn.account.id
        }
        let peer = ScriptedPeer()
        peer.keep { [service = receiver.service] in try service.keepRows($0, of: $1, term: $2) }
        connect(site, to: peer)
        defer { service.setCourier(nil) }
        try await change(signedIn, to: phone(2), service)
        var next: AccountID?
        // Refused again only where this machine needs more than a second for the event.
        while next == nil { do { next = try await service.register(phone(1)).id } catch ServiceError.noSecondCopy {} }
        try await eventually("the number is the next account's") {
            try receiver.service.keyStore.account(ofPhone: phone(1).text) == next
        }
    }
}
