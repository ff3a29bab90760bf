import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// Rules about scheduled notices. Each test breaks one rule in a history, and the rule book reports it.
@Suite("Rules of notices")
struct NoticeRulesTests {
    private static let (owner, other) = (AccountID(1), AccountID(2))
    private static let (shop, campaign) = (ShopID(10), CampaignID(20))
    private static let start = Instant(microseconds: 1_700_000_000_000_000)
    private static let due = start.advanced(bySeconds: 100)
    private static let noticeName = "notice \(NoticeID(80).text)"

    private typealias Step = (second: Int64, actor: AccountID, event: LoyaltyEvent)

    private func findings(_ steps: Step...) -> [String] {
        var (book, found) = (RuleBook(), [String]())
        for (index, step) in (Self.opening + steps).enumerated() {
            let time = Self.start.advanced(bySeconds: step.second)
            found += book.apply(Fact(position: UInt64(index) + 1, time: time, actor: step.actor, event: step.event), mark: nil).map(\.what)
        }
        return found
    }

    private static let opening: [Step] =
        [owner, other].map { account in
            (0, account, .accountRegistered(.init(account: account, phone: Secret(account.value), sealedPhone: Sealed([1]))))
        } + [
            (
                0, owner,
                .shopOpened(
                    .init(shop: shop, owner: owner, name: "茶", phone: "123", address: "1", location: .init(latitude: 1, longitude: 1)))
            )
        ]

    private func scheduled(_ second: Int64 = 1, by actor: AccountID = owner, for due: Instant = due) -> Step {
        let event = NoticeScheduled(
            notice: NoticeID(80), audience: .shop(Self.shop), author: Self.owner, title: Sealed([1]), text: Sealed([2]), publishAt: due)
        return (second, actor, .noticeScheduled(event))
    }

    private func posted(_ second: Int64, by actor: AccountID = .system, due: Instant? = due, title: UInt8 = 1) -> Step {
        let event = NoticePosted(
            notice: NoticeID(80), audience: .shop(Self.shop), author: Self.owner, title: Sealed([title]), text: Sealed([2]), dueAt: due)
        return (second, actor, .noticePosted(event))
    }

    private func withdrawn(_ second: Int64, by actor: AccountID = owner) -> Step {
        (second, actor, .noticeWithdrawn(.init(notice: NoticeID(80), author: Self.owner)))
    }

    private func lapsed(_ second: Int64, by actor: AccountID = .system) -> Step {
        (second, actor, .noticeLapsed(.init(notice: NoticeID(80), author: Self.owner, dueAt: Self.due)))
    }

    @Test("Events of notices, as the service writes them, break no rule")
    func kept() {
        #expect(findings(scheduled(), posted(100)) == [])
        #expect(findings(scheduled(), withdrawn(99)) == [])
        #expect(findings(scheduled(), lapsed(5_000)) == [])
    }

    @Test("A notice appears once, unchanged, not early, for its scheduled time, and is not published by a person")
    func appearance() {
        #expect(findings(scheduled(), posted(99)) == ["\(Self.noticeName) was due later"])
        #expect(
            findings(scheduled(), posted(200, due: Self.start.advanced(bySeconds: 150))) == ["\(Self.noticeName) was due at another time"])
        #expect(
            findings(scheduled(), posted(100), posted(101))
                == ["\(Self.noticeName) was due and not scheduled", "\(Self.noticeName) was posted before"])
        #expect(findings(scheduled(), posted(100, title: 9)) == ["\(Self.noticeName) is not as its author wrote it"])
        #expect(findings(scheduled(), posted(100, by: Self.owner)) == ["\(Self.noticeName) was due, and \(Self.owner.text) acted on it"])
        #expect(findings(posted(100)) == ["\(Self.noticeName) was due and not scheduled"])
        #expect(findings(scheduled(), posted(50, by: Self.owner, due: nil)) == ["\(Self.noticeName) was posted before it was due"])
    }

    @Test("The notice of a suspended author does not appear")
    func suspension() {
        let suspended: Step = (50, Self.other, .accountSuspended(.init(account: Self.owner, reason: "Sells stamps")))
        let reinstated: Step = (60, Self.other, .accountReinstated(.init(account: Self.owner, reason: "Explained")))
        #expect(findings(scheduled(), suspended, posted(100)) == ["notice \(NoticeID(80).text) appeared while its author was suspended"])
        #expect(findings(scheduled(), suspended, lapsed(100)) == [])
        #expect(findings(scheduled(), suspended, reinstated, posted(100)) == [])
    }

    @Test("The notice of an author who has given the shop to another account does not appear")
    func transfer() {
        let offered: Step = (
            50, Self.owner,
            .transferOffered(
                .init(
                    invitation: InvitationID(70), shop: Self.shop, account: Self.other, expiresAt: Self.start.advanced(bySeconds: 86_400)))
        )
        let taken: Step = (
            60, Self.other,
            .shopTransferred(.init(invitation: InvitationID(70), shop: Self.shop, account: Self.other, formerOwner: Self.owner))
        )
        #expect(findings(scheduled(), offered, taken, lapsed(100)) == [])
        #expect(
            findings(scheduled(), offered, taken, posted(100)) == ["\(Self.noticeName) is to the customers of a shop that is another's"])
    }

    @Test("A notice is scheduled by its author for later, once, at most ninety days ahead")
    func scheduling() {
        #expect(findings(scheduled(by: Self.other)) == ["\(Self.noticeName) was scheduled in somebody's name"])
        #expect(findings(scheduled(), scheduled(2)) == ["\(Self.noticeName) was written before"])
        #expect(findings(scheduled(100)) == ["\(Self.noticeName) is due at \(Self.due.rfc3339)"])
        #expect(
            findings(scheduled(for: Self.start.advanced(bySeconds: 91 * 86_400)))
                == ["\(Self.noticeName) is due at \(Self.start.advanced(bySeconds: 91 * 86_400).rfc3339)"])
    }

    @Test("A notice is withdrawn by its author before its moment, and ends once")
    func ends() {
        #expect(findings(scheduled(), withdrawn(100)) == ["\(Self.noticeName) was withdrawn after it was due"])
        #expect(findings(scheduled(), withdrawn(50, by: Self.other)) == ["\(Self.noticeName) was withdrawn by somebody else"])
        #expect(findings(withdrawn(50)) == ["\(Self.noticeName) was withdrawn and not scheduled"])
        #expect(findings(scheduled(), withdrawn(50), lapsed(100)) == ["\(Self.noticeName) was due and not scheduled"])
        #expect(findings(scheduled(), lapsed(99)) == ["\(Self.noticeName) was due later"])
        #expect(findings(scheduled(), lapsed(100, by: Self.owner)) == ["\(Self.noticeName) was due, and \(Self.owner.text) acted on it"])
    }
}
