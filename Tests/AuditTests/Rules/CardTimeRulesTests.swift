import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// Rules about the end of a card. Each test breaks one rule in a history, and the rule book reports it.
extension OfficeRulesTests {
    private static let (ending, other, day) = (CampaignID(24), CardID(41), Int64(86_400))
    /// The time at which these histories open the card. Each earlier event takes one second: the opening events, the campaign and the code.
    private static let openedAt = Instant(microseconds: 1_700_000_000_000_000).advanced(bySeconds: Int64(opening.count) + 3)
    private static let end = openedAt.advanced(bySeconds: 20 * day)

    private func begun(_ stamps: Int = 1) -> [Step] {
        [
            Step(
                actor: Self.owner,
                event: .campaignPublished(
                    .init(
                        campaign: Self.ending, shop: Self.shop, kind: .stampCard,
                        terms: CampaignTerms(
                            title: "", details: "", goal: 2, reward: "", startsAt: Self.openedAt.advanced(bySeconds: -100),
                            endsAt: Self.openedAt.advanced(bySeconds: 9_000_000), options: CampaignOptions(cardValidDays: 20))))),
            code(61, stamps: stamps, after: 1), cardOpened(Self.card), stamped(Self.card, 61, stamps, after: 0),
        ]
    }

    private func code(_ number: UInt128, stamps: Int = 1, after seconds: Int64, at moment: Int64? = nil) -> Step {
        let latest = Self.openedAt.advanced(bySeconds: (moment ?? seconds) + 1_000)
        return Step(
            actor: Self.owner,
            event: .codeIssued(
                .init(
                    code: .init(number), campaign: Self.ending, shop: Self.shop, secret: Secret(number), attempt: 0, stamps: stamps,
                    expiresAt: latest)), seconds: seconds)
    }

    private func cardOpened(_ card: CardID, at time: Instant = openedAt, after seconds: Int64 = 1) -> Step {
        Step(
            actor: Self.customer,
            event: .cardOpened(
                .init(
                    card: card, campaign: Self.ending, shop: Self.shop, holder: Self.customer, goal: 2, reward: "",
                    terms: CardTerms(expiresAt: time.advanced(bySeconds: 20 * Self.day), redeemUntil: nil))), seconds: seconds)
    }

    private func stamped(_ card: CardID, _ code: UInt128, _ stamps: Int = 1, after seconds: Int64) -> Step {
        Step(
            actor: Self.customer,
            event: .cardStamped(
                .init(card: card, code: .init(code), campaign: Self.ending, shop: Self.shop, holder: Self.customer, stamps: stamps)),
            seconds: seconds)
    }

    private func expired(after seconds: Int64, by actor: AccountID = .system, due: Instant = end) -> Step {
        Step(
            actor: actor,
            event: .cardExpired(
                .init(card: Self.card, campaign: Self.ending, shop: Self.shop, holder: Self.customer, dueAt: due)), seconds: seconds)
    }

    private func reminded(_ days: Int, after seconds: Int64, by actor: AccountID = .system, notice: UInt128 = 90) -> Step {
        Step(
            actor: actor,
            event: .cardReminded(
                .init(
                    card: Self.card, campaign: Self.ending, shop: Self.shop, holder: Self.customer, notice: NoticeID(notice),
                    daysLeft: days,
                    dueAt: Self.end.advanced(bySeconds: -Int64(days) * Self.day))), seconds: seconds)
    }

    @Test("Times and stamps at the ends of their ranges break rules, but do not trap")
    func extremes() {
        for end in [Int64.min, .max].map(Instant.init(microseconds:)) {
            let opened = Step(
                actor: Self.customer,
                event: .cardOpened(
                    .init(
                        card: Self.card, campaign: Self.ending, shop: Self.shop, holder: Self.customer, goal: 2, reward: "",
                        terms: CardTerms(expiresAt: end, redeemUntil: end))))
            #expect(!findings(Array(begun().dropLast(2)) + [opened, reminded(14, after: 1), reminded(2, after: 1)]).isEmpty)
        }
        let (more, less) = (stamped(Self.card, 61, 49, after: 0), reversed(Self.card, 61, 49))
        #expect(!findings(begun() + Array(repeating: more, count: 700)).isEmpty)
        #expect(!findings(begun() + Array(repeating: less, count: 700)).isEmpty)
    }

    private func reversed(_ card: CardID, _ code: UInt128, _ stamps: Int) -> Step {
        Step(
            actor: Self.owner,
            event: .stampReversed(
                .init(
                    card: card, code: .init(code), campaign: Self.ending, shop: Self.shop, holder: Self.customer, stamps: stamps,
                    reason: "wrong")), seconds: 0)
    }

    @Test("A card expires at its end, once, caused by no person, while it is collecting or full")
    func expiry() {
        #expect(findings(begun() + [expired(after: 20 * Self.day)], ends: true) == [])
        #expect(findings(begun(2) + [expired(after: 50 * Self.day)]) == [])
        #expect(
            findings(begun() + [expired(after: 20 * Self.day - 1)])
                == ["card \(Self.card.text) expired before its end"], "an end recorded a second early")
        #expect(
            findings(begun() + [expired(after: 20 * Self.day), expired(after: 1)])
                == ["card \(Self.card.text) was expired, and expired"], "an end recorded twice")
        #expect(
            findings(begun() + [expired(after: 20 * Self.day, due: Self.openedAt)])
                == ["card \(Self.card.text) expired at another time than its terms name"], "an end recorded with another due time")
        #expect(!findings(begun() + [expired(after: 20 * Self.day, by: Self.customer)], ends: true).isEmpty, "an end recorded by a person")
        let away = Step(
            actor: Self.customer,
            event: .cardDiscarded(.init(card: Self.card, campaign: Self.ending, shop: Self.shop, holder: Self.customer)))
        #expect(
            findings(begun() + [away, expired(after: 20 * Self.day)])
                == ["card \(Self.card.text) was discarded, and expired"], "an end recorded after the card was discarded")
        #expect(findings(begun() + [expired(after: 20 * Self.day), away]) == [])
        let erased = Step(actor: Self.customer, event: .accountErased(.init(account: Self.customer)))
        #expect(
            findings(begun() + [erased, expired(after: 20 * Self.day)])
                == ["card \(Self.card.text) expired after its holder was erased"], "an end recorded after its holder was erased")
        // An end with the shop's owner as its actor belongs to a reversal of stamps. Such an end is allowed after the holder was erased.
        let needed = findings(begun() + [erased, expired(after: 20 * Self.day, by: Self.owner)])
        #expect(!needed.contains { $0.contains("erased") })
    }

    @Test("An expired card gets no stamps; a stamp that comes after the end first ends the old card in the same step")
    func nothingIsTaken() {
        let late = 20 * Self.day
        let time = Self.openedAt.advanced(bySeconds: late + 1)
        let next = [cardOpened(Self.other, at: time, after: 0), stamped(Self.other, 62, after: 0)]
        #expect(findings(begun() + [code(62, after: late), expired(after: 1, by: Self.customer)] + next, ends: true) == [])
        let shown = code(62, after: 0, at: late)
        #expect(findings(begun() + [expired(after: late), shown, cardOpened(Self.other, at: time)] + next.suffix(1)) == [])
        #expect(!findings(begun() + [code(62, after: late), stamped(Self.card, 62, after: 1)]).isEmpty, "a card stamped after its end")
        let beside = [code(62, after: late), cardOpened(Self.other, at: time)] + next.suffix(1)
        #expect(!findings(begun() + beside).isEmpty, "a new card beside the old one")
        #expect(!findings(begun() + [expired(after: late), shown, stamped(Self.card, 62, after: 0)]).isEmpty, "a stamp on an expired card")
        let adjusted = Step(
            actor: Self.owner,
            event: .cardAdjusted(
                .init(card: Self.card, campaign: Self.ending, shop: Self.shop, holder: Self.customer, stamps: 1, reason: "")),
            seconds: late)
        #expect(findings(begun() + [adjusted]) == ["card \(Self.card.text) was adjusted after its end"], "a card adjusted after its end")
        let asked = Step(
            actor: Self.customer,
            event: .redemptionRequested(
                .init(
                    redemption: .init(50), card: Self.card, campaign: Self.ending, shop: Self.shop, holder: Self.customer,
                    secret: Secret(50), attempt: 0, expiresAt: Self.end.advanced(bySeconds: 1))), seconds: late - 100)
        #expect(
            findings(begun(2) + [asked])
                == ["card \(Self.card.text) was to be redeemed after its end"], "a redemption code beyond the card's end")
    }

    @Test("An account that takes a paper card ends its collecting card first, with no other event between")
    func paper() {
        let paper = PaperName(print: PrintID(70), number: 0)
        let printed = Step(
            actor: Self.owner,
            event: .paperCardsPrinted(
                .init(print: paper.print, campaign: Self.ending, shop: Self.shop, secret: Secret(70), attempt: 0, count: 1)))
        let waits = Step(
            actor: Self.owner,
            event: .paperStamped(.init(paper: paper, code: .init(62), campaign: Self.ending, shop: Self.shop, stamps: 1)), seconds: 0)
        func taken(after seconds: Int64) -> Step {
            Step(
                actor: Self.customer,
                event: .paperCardTaken(
                    .init(paper: paper, campaign: Self.ending, shop: Self.shop, holder: Self.customer, stamps: 1)), seconds: seconds)
        }
        let late = 20 * Self.day
        let before = begun() + [printed, code(62, after: 1), waits]
        let next = [cardOpened(Self.other, at: Self.openedAt.advanced(bySeconds: late + 2), after: 0), stamped(Self.other, 62, after: 0)]
        let ended = expired(after: late, by: Self.customer)
        #expect(findings(before + [ended, taken(after: 0)] + next, ends: true) == [])
        #expect(!findings(before + [taken(after: late), expired(after: 0, by: Self.customer)] + next).isEmpty, "the end recorded too late")
        #expect(!findings(before + [taken(after: late), stamped(Self.card, 62, after: 0)]).isEmpty, "stamps onto a card that is over")
        #expect(!findings(before + [ended, taken(after: 1)] + next).isEmpty, "a paper card taken a second after the end")
    }

    @Test("The first reminder may come until the card's end if the second one is left out")
    func lateReminder() {
        func closed(_ days: Int64) -> Step {
            let until = Self.openedAt.advanced(bySeconds: days * Self.day)
            return Step(actor: Self.owner, event: .shopClosed(.init(shop: Self.shop, redeemUntil: until, erasesContact: false)), seconds: 1)
        }
        let late = reminded(14, after: 19 * Self.day)
        #expect(findings(begun() + [closed(18), late]) == [], "the card cannot be redeemed when the second reminder is due")
        #expect(
            findings(begun() + [closed(19), late])
                == ["the reminder of card \(Self.card.text) came when the next was due"], "the second reminder is due")
    }

    @Test("A holder is reminded in time, in order and once, and only about a usable card")
    func reminders() {
        let (first, second) = (6 * Self.day, 12 * Self.day)
        #expect(findings(begun() + [reminded(14, after: first), reminded(2, after: second, notice: 91)]) == [])
        #expect(findings(begun() + [reminded(2, after: 19 * Self.day)]) == [])
        #expect(
            findings(begun() + [reminded(14, after: first - 1)])
                == ["the reminder of card \(Self.card.text) came too early"], "a reminder too early")
        #expect(
            findings(begun() + [reminded(14, after: first, by: Self.owner)])
                == ["card \(Self.card.text) was due, and \(Self.owner.text) acted on it"], "a reminder by a person")
        #expect(
            findings(begun() + [reminded(14, after: 18 * Self.day)])
                == ["the reminder of card \(Self.card.text) came when the next was due"], "the first reminder when the second is due")
        #expect(
            findings(begun() + [reminded(2, after: 20 * Self.day)])
                == ["the reminder of card \(Self.card.text) came after its end"], "a reminder after the end")
        #expect(
            findings(begun() + [reminded(14, after: first), reminded(14, after: 1, notice: 91)])
                == ["the holder of card \(Self.card.text) was reminded before"], "a reminder sent twice")
        #expect(
            findings(begun() + [reminded(14, after: first), reminded(2, after: second)])
                == ["notice \(NoticeID(90).text) was posted before"], "two reminders with one notice")
        #expect(findings(begun() + [expired(after: 20 * Self.day), reminded(2, after: 0)]).count >= 1, "a reminder about an expired card")
    }
}
