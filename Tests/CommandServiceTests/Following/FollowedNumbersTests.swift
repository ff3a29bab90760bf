import EventLog
import Foundation
import Images
import Loyalty
import LoyaltyCodec
import Patience
import Seeds
import Testing

@testable import CommandService
@testable import Composition

/// The phone numbers and the pictures of a node that follows another one.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct FollowedNumbersTests {
    private func change(_ signedIn: SignedIn, to number: E164Number, _ service: GreenTea) async throws {
        let code = try service.verifications.begin(for: number).code
        let change = PhoneChange(to: number, code: code, currentCode: nil, keeping: signedIn.session, from: .unknown)
        _ = try await service.changePhone(change, by: Caller(account: signedIn.account.id))
    }

    @Test("A changed number leads to its account, and the former one to the next account", arguments: [true, false])
    func changed(isInOnePiece: Bool) async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let signedIn = try await site.service.signIn(phone(1))
        try await follower.catchUp()
        try await change(signedIn, to: phone(2), site.service)
        if !isInOnePiece {
            try await follower.catchUp()
            #expect(try follower.keyStore.account(ofPhone: phone(1).text) == nil)
        }
        let next = try await site.service.register(phone(1)).id
        try await follower.catchUp()
        let store = follower.keyStore
        #expect(try store.account(ofPhone: phone(1).text) == next && store.account(ofPhone: phone(2).text) == signedIn.account.id)
        #expect(try store.unsettledAccounts().isEmpty && store.awaitedHolders().isEmpty)
    }

    @Test("A node that is killed before it has followed an event finds the number of its account when it becomes the writer")
    func killedEarly() async throws {
        let site = try Site()
        let follower = try Follower(of: site, isStarted: false)
        let account = try await site.service.register(phone(1)).id
        try follower.adopt()
        try Self.takePlace(of: site.service, by: follower, with: account)
        #expect(try follower.keyStore.account(ofPhone: phone(1).text) == account)
        #expect(try !follower.keyStore.hasFollowed)
    }

    /// The key comes before the event, as `FollowedEvents.prepare` brings it.
    private static func takePlace(of leader: GreenTea, by follower: Follower, with account: AccountID) throws {
        let store = follower.keyStore
        _ = try store.adopt(leader.keyRows(of: [account]), of: [account], asOf: .start, keysOnly: true) { _ in false }
        #expect(try store.account(ofPhone: phone(1).text) == nil)
        try store.finishFollowing(in: follower.log)
    }

    @Test("A number that an operator requests is claimed, and comes into force at its time")
    func requested() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let account = try await site.service.register(phone(1)).id
        let officer = Caller(account: try await site.service.register(phone(9)).id)
        let accepted = try await site.service.requestPhoneChange(of: account, to: phone(2), reason: "Stolen", by: officer)
        guard case .phoneChangeRequested(let event) = accepted.facts.first?.event else { throw TestFailure("no request") }
        try await follower.catchUp()
        #expect(follower.seen.requested == [account: event.holdsAt])
        for number in [1, 2] { #expect(try follower.keyStore.account(ofPhone: phone(number).text) == account) }
    }

    @Test("The number of a person whose cards wait comes after the key, which precedes the event")
    func waiting() async throws {
        let site = try Site()
        let follower = try FollowingSite(of: site)
        let shop = try await TeaShop.open(on: site.service)
        let gift = NumberGift(1, at: CampaignPlace(shop.campaign), toPhone: phone(1), by: shop.owner)
        let holder = try #require(try await site.service.giveStamps(gift).cards.first?.holder)
        try await eventually("the number leads to the person") {
            try follower.service.keyStore.account(ofPhone: phone(1).text) == holder
        }
    }

    @Test("The key of a waiting person goes once an account has taken the cards")
    func takenCards() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let shop = try await TeaShop.open(on: site.service)
        let gift = NumberGift(1, at: CampaignPlace(shop.campaign), toPhone: phone(1), by: shop.owner)
        let holder = try #require(try await site.service.giveStamps(gift).cards.first?.holder)
        try await follower.catchUp()
        let wrapped = try #require(try follower.wrappedKey(of: holder))
        #expect(try follower.keyStore.account(ofPhone: phone(1).text) == holder)
        let signedIn = try await site.service.signIn(phone(2))
        try await change(signedIn, to: phone(1), site.service)
        try await follower.catchUp()
        #expect(try site.service.keyStore.key(of: holder) == nil && follower.keyStore.key(of: holder) == nil)
        #expect(try !follower.hasBytes(of: wrapped))
        #expect(try follower.keyStore.account(ofPhone: phone(1).text) == signedIn.account.id)
    }

    /// Offers work to somebody unregistered, and returns that person.
    private func offer(to number: E164Number, on service: GreenTea) async throws -> AccountID {
        let shop = try await TeaShop.open(on: service)
        let offer = GreenTea.NumberOffer(toPhone: number, at: shop.shop, as: nil, by: shop.owner)
        let facts = try await service.inviteStaff(offer).facts
        guard case .staffInvited(let event) = facts.first?.event else { throw TestFailure("no offer") }
        return event.account
    }

    @Test("The number of a person for whom an offer of work waits comes, too")
    func offered() async throws {
        let site = try Site()
        let follower = try FollowingSite(of: site)
        let person = try await offer(to: phone(1), on: site.service)
        try await eventually("the number leads to the person") {
            try follower.service.keyStore.account(ofPhone: phone(1).text) == person
        }
    }

    @Test("The key of a person goes once an account has taken the offers of work that an operator's request had set aside")
    func takenOffers() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let person = try await offer(to: phone(1), on: site.service)
        try adopt(person, at: follower, site.service)
        let account = try await site.service.register(phone(2)).id
        let officer = Caller(account: try await site.service.register(phone(9)).id)
        let requested = try await site.service.requestPhoneChange(of: account, to: phone(1), reason: "Stolen", by: officer)
        guard case .phoneChangeRequested(let event) = requested.facts.first?.event else { throw TestFailure("no request") }
        try await follower.catchUp()
        let aside = KeyStore.setAside(phone(1).text)
        #expect(try site.service.keyStore.account(ofPhone: aside) == person && follower.keyStore.account(ofPhone: aside) == person)
        site.clock.move(bySeconds: (event.holdsAt.microseconds - site.clock.now().microseconds) / 1_000_000 + 1)
        #expect(try await site.service.signIn(phone(1)).account.id == account)
        try await follower.catchUp()
        #expect(try site.service.keyStore.key(of: person) == nil && follower.keyStore.key(of: person) == nil)
        #expect(try follower.keyStore.account(ofPhone: aside) == nil)
    }

    @Test("The key of a person whose number another account got without any card goes, too")
    func vanished() async throws {
        let site = try Site()
        let follower = try Follower(of: site)
        let nobody = AccountID(7)
        try give(nobody, to: follower, site.service)
        #expect(try follower.keyStore.account(ofPhone: phone(1).text) == nobody)
        let signedIn = try await site.service.signIn(phone(2))
        try await change(signedIn, to: phone(1), site.service)
        try await follower.catchUp()
        #expect(try follower.keyStore.account(ofPhone: phone(1).text) == signedIn.account.id)
        #expect(try follower.keyStore.lacking([nobody]) == [nobody] && follower.keyStore.awaitedHolders().isEmpty)
    }

    /// Claims number 1 for somebody unregistered at both nodes.
    private func give(_ nobody: AccountID, to follower: Follower, _ service: GreenTea) throws {
        try service.keyStore.claim([KeyStore.PhoneClaim(number: phone(1).text, account: nobody)])
        try adopt(nobody, at: follower, service)
    }

    private func adopt(_ holder: AccountID, at follower: Follower, _ service: GreenTea) throws {
        _ = try follower.keyStore.adopt(service.keyRows(of: [holder]), of: [holder], asOf: .start) { _ in false }
    }

    @Test("A shop's picture comes from the other node, not from anybody else, and goes when it is taken down")
    func pictures() async throws {
        let (site, image) = (try Site(), ImageID(7))
        let file = Array("a picture".utf8)
        #expect(try site.service.images.adopt(file, as: image, hasSender: true, at: site.clock.now()))
        let owner = try await customer(1, on: site.service)
        _ = try await site.service.openShop(
            name: "绿茶", phone: "+86 21 5555", address: "1 Tea Road", location: Coordinate(latitude: 31.2, longitude: 121.5),
            images: [image], by: owner)
        let folder = try copy(of: site)
        let node = try open(folder, site.clock)
        let peer = FaultyPeer(site.service)
        peer.answer(picture: try site.service.keys.sealed(file, for: "another picture", nonce: Array(repeating: 1, count: 12)))
        let events = try follow(node, peer)
        try await eventually("the wrong picture is refused") {
            events.status.failure?.reason == KeyRowsError.pictureNotAuthentic(image).description
        }
        #expect(!node.images.has(image))
        peer.answer(picture: nil)
        try await eventually("the picture is there") { node.images.file(of: image)?.bytes == file }
        try await eventually("all events are followed") { events.status.position == node.log.head }
        let takeDown = TakeDownImage(image: image, content: nil, asOperator: true)
        _ = try await node.submit(.takeDownImage(takeDown), by: owner)
        try await eventually("the picture is gone") { !node.images.has(image) }
        try close(node, events)
    }

    /// The site's folder without its pictures. The site is closed meanwhile.
    private func copy(of site: Site) throws -> TemporaryFolder {
        try site.close()
        let folder = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: site.folder.path) where name != "blobs" {
            try FileManager.default.copyItem(atPath: site.folder.path + "/" + name, toPath: folder.path + "/" + name)
        }
        try site.open()
        return folder
    }

    private func open(_ folder: TemporaryFolder, _ clock: HandClock) throws -> GreenTea {
        try GreenTea(
            data: DataFolder(folder.path), master: MasterSecret(bytes: Site.secret), clock: clock,
            randomness: SeededRandomness(seed: Seed.value + 3), passwords: PasswordCost(log2N: 4), duePeriodSeconds: nil)
    }

    private func follow(_ node: GreenTea, _ peer: FaultyPeer) throws -> FollowedEvents {
        let events = try FollowedEvents(
            log: node.log, keyStore: node.keyStore, peer: peer, acts: node.followedActs)
        events.start()
        return events
    }

    private func close(_ node: GreenTea, _ events: FollowedEvents) throws {
        events.stop()
        try node.close()
    }
}
