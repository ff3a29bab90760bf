import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// Rules about the transfer of a shop to a new owner. Each test breaks one rule in a history, and the rule book reports it.
@Suite struct TransferRulesTests {
    private static let (owner, taker, other) = (AccountID(1), AccountID(2), AccountID(3))
    private static let (shop, campaign) = (ShopID(10), CampaignID(20))
    private static let start = Instant(microseconds: 1_700_000_000_000_000)
    private static let week: Int64 = 7 * 86_400

    private typealias Step = (actor: AccountID, event: LoyaltyEvent)

    /// Returns the rule book's findings in the opening events and these steps, with one second between two events.
    private func findings(_ steps: [Step]) -> [String] {
        var (book, found) = (RuleBook(), [String]())
        for (index, step) in (Self.opening + steps).enumerated() {
            let time = Self.start.advanced(bySeconds: Int64(index))
            found += book.apply(Fact(position: UInt64(index) + 1, time: time, actor: step.actor, event: step.event), mark: nil).map(\.what)
        }
        return found
    }

    private static func opened(_ shop: ShopID, by owner: AccountID) -> Step {
        let place = Coordinate(latitude: 1, longitude: 1)
        return (owner, .shopOpened(.init(shop: shop, owner: owner, name: "茶", phone: "123", address: "1", location: place)))
    }

    private static let opening: [Step] =
        [owner, taker, other].map { account in
            (account, .accountRegistered(.init(account: account, phone: Secret(account.value), sealedPhone: Sealed([1]))))
        } + [
            opened(shop, by: owner),
            (
                owner,
                .campaignPublished(
                    .init(
                        campaign: campaign, shop: shop, kind: .stampCard,
                        terms: CampaignTerms(
                            title: "", details: "", goal: 2, reward: "", startsAt: start, endsAt: start.advanced(bySeconds: 9_000_000))))
            ),
        ]

    private func offered(
        _ number: UInt128 = 1, to account: AccountID = taker, by actor: AccountID = owner, for seconds: Int64 = week
    ) -> Step {
        let end = Self.start.advanced(bySeconds: seconds)
        return (actor, .transferOffered(.init(invitation: .init(number), shop: Self.shop, account: account, expiresAt: end)))
    }

    private func lapsed(
        _ number: UInt128 = 1, of account: AccountID = taker, by actor: AccountID = .system, at seconds: Int64 = 6
    ) -> Step {
        let due = Self.start.advanced(bySeconds: seconds)
        return (actor, .transferLapsed(.init(invitation: .init(number), shop: Self.shop, account: account, dueAt: due)))
    }

    private func ended(_ number: UInt128 = 1, by actor: AccountID = taker) -> Step {
        (actor, .invitationEnded(.init(invitation: .init(number), shop: Self.shop, account: Self.taker)))
    }

    private func taken(_ number: UInt128 = 1, by actor: AccountID = taker, from former: AccountID = owner) -> Step {
        (actor, .shopTransferred(.init(invitation: .init(number), shop: Self.shop, account: Self.taker, formerOwner: former)))
    }

    private func issued(_ number: UInt128, by actor: AccountID) -> Step {
        let code = CodeIssued(
            code: .init(number), campaign: Self.campaign, shop: Self.shop, secret: Secret(number), attempt: 0, stamps: 1,
            expiresAt: Self.start.advanced(bySeconds: 600))
        return (actor, .codeIssued(code))
    }

    private func stamped(_ number: UInt128, by holder: AccountID) -> [Step] {
        let card = CardOpened(card: .init(number), campaign: Self.campaign, shop: Self.shop, holder: holder, goal: 2, reward: "")
        let stamp = CardStamped(
            card: .init(number), code: .init(number), campaign: Self.campaign, shop: Self.shop, holder: holder, stamps: 1)
        return [(holder, .cardOpened(card)), (holder, .cardStamped(stamp))]
    }

    @Test("A suspended owner who erases their account ends the offer of the shop")
    func erasedWhileSuspended() {
        let suspended: Step = (Self.other, .accountSuspended(.init(account: Self.owner, reason: "x")))
        let erased: Step = (Self.owner, .accountErased(.init(account: Self.owner)))
        #expect(findings([offered(), suspended, ended(by: Self.owner), erased]) == [])
    }

    @Test("A valid history of transfers has no findings")
    func legal() {
        #expect(findings([offered(), ended(), offered(2), ended(2, by: Self.owner), offered(3), taken(3)]) == [])
        #expect(findings([offered(), taken(), issued(1, by: Self.taker)] + stamped(1, by: Self.owner)) == [])
        #expect(findings([Self.opened(ShopID(11), by: Self.owner), Self.opened(ShopID(12), by: Self.owner)]) == [])
    }

    @Test("A shop changes its owner by an open offer, which the new owner accepts")
    func consent() {
        #expect(!findings([taken()]).isEmpty)
        #expect(!findings([offered(), taken(by: Self.owner)]).isEmpty)
        #expect(!findings([offered(), taken(2)]).isEmpty)
        #expect(!findings([offered(), ended(), taken()]).isEmpty)
        #expect(!findings([offered(), taken(), taken()]).isEmpty)
        #expect(!findings([offered(to: Self.other), taken()]).isEmpty, "a shop offered to somebody else")
        #expect(!findings([offered(for: 6), issued(1, by: Self.owner), taken()]).isEmpty, "a shop taken after the offer lapsed")
        #expect(!findings([offered(), taken(from: Self.other)]).isEmpty, "a shop taken from another owner")
    }

    @Test("Only the owner offers a shop, for at most a week, to one account at a time")
    func offers() {
        #expect(!findings([offered(by: Self.taker)]).isEmpty)
        #expect(!findings([offered(), offered(2, to: Self.other)]).isEmpty)
        #expect(!findings([offered(), ended(), offered()]).isEmpty, "an invitation's id used twice")
        #expect(!findings([offered(to: Self.owner)]).isEmpty)
        #expect(!findings([offered(for: Self.week + 10)]).isEmpty)
        #expect(!findings([offered(), ended(by: Self.other)]).isEmpty)
    }

    @Test("The system or the owner's next offer records the lapse of an unanswered offer, whatever the state of the shop")
    func lapses() {
        let closed = LoyaltyEvent.shopClosed(.init(shop: Self.shop, redeemUntil: Self.start.advanced(bySeconds: 900), erasesContact: false))
        let suspended: Step = (Self.other, .accountSuspended(.init(account: Self.owner, reason: "x")))
        #expect(findings([offered(for: 6), lapsed()]) == [])
        #expect(findings([offered(for: 6), lapsed(by: Self.owner), offered(2), taken(2)]) == [])
        #expect(findings([offered(for: 6), (Self.owner, closed), lapsed()]) == [])
        #expect(findings([offered(for: 6), suspended, lapsed()]) == [])
        #expect(findings([offered(for: 6), issued(1, by: Self.owner), offered(2)]) == [], "older versions recorded no lapse")
    }

    @Test("An offer lapses once, at its end and not before it, and not after an answer")
    func brokenLapses() {
        let (first, second) = (InvitationID(1).text, InvitationID(2).text)
        let notOpen = "lapsed, and was never made, was answered, or had lapsed"
        #expect(findings([lapsed(at: 1)]) == ["invitation \(first) \(notOpen)"], "an offer that was never made")
        #expect(findings([offered(for: 6), lapsed(), lapsed()]) == ["invitation \(first) \(notOpen)"])
        #expect(findings([offered(for: 9), ended(), lapsed()]) == ["invitation \(first) \(notOpen)"])
        #expect(findings([offered(for: 9), taken(), lapsed()]) == ["invitation \(first) \(notOpen)"])
        #expect(findings([offered(for: 6), lapsed(2)]) == ["invitation \(second) \(notOpen)"], "another invitation")
        #expect(findings([offered(for: 60), lapsed(at: 60)]) == ["invitation \(first) lapsed before its time was over"])
        #expect(findings([offered(for: 60), lapsed()]) == ["invitation \(first) lapsed at another time than its offer names"])
        #expect(findings([offered(for: 6), lapsed(of: Self.other)]) == ["shop \(Self.shop.text) was offered to somebody else"])
        #expect(
            findings([offered(for: 6), lapsed(by: Self.taker)])
                == ["the lapse of invitation \(first) was recorded by \(Self.taker.text)"])
        #expect(!findings([offered(for: 6), lapsed(), taken()]).isEmpty, "an offer accepted after its lapse")
    }

    @Test("The former owner has no rights left, and their open codes end")
    func formerOwner() {
        #expect(!findings([offered(), taken(), issued(1, by: Self.owner)]).isEmpty)
        #expect(!findings([issued(1, by: Self.owner), offered(), taken()] + stamped(1, by: Self.other)).isEmpty)
        #expect(!findings([offered(), taken(), issued(1, by: Self.taker)] + stamped(1, by: Self.taker)).isEmpty, "the owner's card")
    }

    @Test("Nobody owns more than a hundred open shops")
    func limit() {
        let most = (1...99).map { Self.opened(ShopID(UInt128(100 + $0)), by: Self.owner) }
        #expect(findings(most) == [])
        #expect(!findings(most + [Self.opened(ShopID(300), by: Self.owner)]).isEmpty)
        let closed = LoyaltyEvent.shopClosed(
            .init(shop: ShopID(101), redeemUntil: Self.start.advanced(bySeconds: 900), erasesContact: false))
        #expect(findings(most + [(Self.owner, closed), Self.opened(ShopID(300), by: Self.owner)]) == [])
        let takers = (1...100).map { Self.opened(ShopID(UInt128(100 + $0)), by: Self.taker) }
        #expect(!findings(takers + [offered(), taken()]).isEmpty)
    }
}
