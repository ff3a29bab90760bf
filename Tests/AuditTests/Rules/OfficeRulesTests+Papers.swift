import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// Rules about paper cards. Each test breaks one rule in a history, and the rule book reports it.
extension OfficeRulesTests {
    private static let paper = PaperName(print: PrintID(70), number: 1)
    /// A time before the first event.
    private static let dawn = Instant(microseconds: 1_700_000_000_000_000)

    private func printed(_ number: UInt128 = 70, by actor: AccountID = owner, count: Int = 2) -> Step {
        Step(
            actor: actor,
            event: .paperCardsPrinted(
                .init(
                    print: PrintID(number), campaign: Self.campaign, shop: Self.shop, secret: Secret(number), attempt: 0, count: count)))
    }

    private func waited(_ number: UInt128, stamps: Int = 1, on paper: PaperName = paper, after seconds: Int64 = 0) -> Step {
        Step(
            actor: Self.owner,
            event: .paperStamped(
                .init(paper: paper, code: CodeID(number), campaign: Self.campaign, shop: Self.shop, stamps: stamps)), seconds: seconds)
    }

    private func took(_ stamps: Int, _ paper: PaperName = paper, by actor: AccountID = customer, for holder: AccountID = customer) -> Step {
        Step(
            actor: actor,
            event: .paperCardTaken(
                .init(paper: paper, campaign: Self.campaign, shop: Self.shop, holder: holder, stamps: stamps)))
    }

    private func gaveUp(_ number: UInt128, stamps: Int = 1, after seconds: Int64 = 1) -> Step {
        Step(
            actor: Self.owner,
            event: .paperStampReversed(
                .init(paper: Self.paper, code: CodeID(number), campaign: Self.campaign, shop: Self.shop, stamps: stamps, reason: "x")),
            seconds: seconds)
    }

    /// A paper card with two codes, and an account that takes the card and thereby uses both codes.
    private var whole: [Step] {
        [
            printed(), issued(100), waited(100), issued(101), waited(101), took(2), opened(after: 0), stamped(100, after: 0),
            stamped(101, after: 0),
        ]
    }

    @Test("Codes of a taken paper card lapse only beyond the last card that a limit leaves")
    func lapsedCodes() {
        let limited = campaign(CampaignOptions(repeats: 1))
        let waiting = [printed(), issued(100), waited(100), issued(101), waited(101), took(1)]
        let begun = [limited, issued(99), opened(), stamped(99)]
        #expect(findings(begun + waiting + [stamped(100, after: 0)], ends: true) == [], "no card is left for the second code")
        let unbegun = [limited] + waiting + [opened(after: 0), stamped(100, after: 0)]
        #expect(!findings(unbegun, ends: true).isEmpty, "the card had room for the second code")
        #expect(!findings([limited, printed(), issued(100), waited(100), took(0)]).isEmpty, "all its stamps lapsed")
    }

    @Test("No event of a paper card breaks a rule, even if the card is taken long after its codes would have expired")
    func aPapersLife() {
        #expect(findings(whole) == [])
        #expect(findings([printed(), took(0)], ends: true) == [])
        let late = Step(actor: Self.owner, event: .shopSuspended(.init(shop: Self.shop, reason: "x")), seconds: 7 * 86_400)
        let again = Step(actor: Self.owner, event: .shopReinstated(.init(shop: Self.shop, reason: "x")))
        #expect(findings(Array(whole[..<5]) + [late, again] + whole[5...]) == [])
        #expect(findings([printed(), issued(100), waited(100), gaveUp(100), took(0)]) == [])
    }

    @Test("A code is put on a paper card once, in the step in which it is issued")
    func aCodeWaitsOnce() {
        #expect(!findings([printed(), waited(100)]).isEmpty)
        #expect(!findings([printed(), issued(100), issued(101), waited(100)]).isEmpty)
        #expect(!findings([printed(), issued(100), waited(100), waited(100)]).isEmpty)
        #expect(!findings([printed(), issued(100, stamps: 2), waited(100)]).isEmpty)
        // A code on a paper card cannot be used before an account takes the card. Then the codes are used in the order in which they were
        // put on the card.
        #expect(!findings([printed(), issued(100), waited(100), opened(), stamped(100)]).isEmpty)
        var swapped = whole
        swapped.swapAt(7, 8)
        #expect(!findings(swapped).isEmpty)
    }

    @Test("Only paper cards of a known print are stamped and taken, never beyond the campaign's goal")
    func onlyKnownPapers() {
        #expect(!findings([issued(100), waited(100)]).isEmpty)
        #expect(!findings([printed(), issued(100), waited(100, on: PaperName(print: PrintID(70), number: 2))]).isEmpty)
        #expect(!findings([printed(), took(0, PaperName(print: PrintID(71), number: 0))]).isEmpty)
        #expect(!findings([printed(), issued(100, stamps: 2), waited(100, stamps: 2), issued(101), waited(101)]).isEmpty)
        #expect(!findings([printed(by: Self.customer)]).isEmpty)
        #expect(!findings([printed(count: 501)]).isEmpty)
        #expect(!findings([printed(), printed()]).isEmpty)
    }

    @Test("A paper card is taken once, by the new holder and nobody else, with all stamps that are on it")
    func takenOnce() {
        #expect(!findings(whole + [took(0)]).isEmpty)
        #expect(!findings([printed(), took(0, for: Self.member)]).isEmpty)
        #expect(!findings([printed(), took(0, by: Self.owner, for: Self.owner)]).isEmpty)
        #expect(!findings([printed(), issued(100), waited(100), took(0)]).isEmpty)
        #expect(!findings([printed(), took(1)], ends: true).isEmpty)
        #expect(!findings(Array(whole.dropLast()), ends: true).isEmpty)
        #expect(!findings(Array(whole.dropLast()) + [issued(102)]).isEmpty)
        #expect(!findings(whole + [issued(102), waited(102)]).isEmpty)
    }

    @Test("After the campaign's end, a paper card with stamps can be taken, but no blank one, and other codes give no stamps")
    func takenAfterTheEnd() {
        let ended = Step(actor: Self.owner, event: .campaignEnded(.init(campaign: Self.campaign, shop: Self.shop)))
        #expect(findings(Array(whole[..<5]) + [ended] + whole[5...]) == [])
        #expect(!findings([printed(), ended, took(0)]).isEmpty)
        #expect(!findings(whole + [ended, issued(102), opened(CardID(41)), stamped(102, on: CardID(41))]).isEmpty)
        let closed = Step(
            actor: Self.owner,
            event: .shopClosed(.init(shop: Self.shop, redeemUntil: Self.dawn.advanced(bySeconds: 1_000), erasesContact: false)))
        #expect(findings(Array(whole[..<5]) + [closed] + whole[5...]) == [])
        var late = Array(whole[..<5]) + [closed] + whole[5...]
        late[6].seconds = 1_000
        #expect(!findings(late).isEmpty)
        #expect(!findings([printed(), closed, took(0)]).isEmpty)
    }

    @Test("The stamps of all paper cards that one account takes are limited by the campaign's caps")
    func caps() {
        let other = PaperName(print: PrintID(70), number: 0)
        let capped = [edited(caps: StampCaps(stampsPerDayMax: 1, minimumGapSeconds: nil)), printed()]
        func steps(after seconds: Int64) -> [Step] {
            var second = took(1, other)
            second.seconds = seconds
            return capped + [
                issued(100), waited(100), issued(101), waited(101, on: other), took(1), opened(after: 0), stamped(100, after: 0), second,
                stamped(101, after: 0),
            ]
        }
        #expect(findings(steps(after: 86_400)) == [])
        #expect(!findings(steps(after: 86_399)).isEmpty)
        // Stamps that the counter put on one paper card over two days, within the caps, are all taken at one time.
        #expect(
            findings(capped + stampedTwice(after: 86_400) + [took(2), opened(after: 0), stamped(100, after: 0), stamped(101, after: 0)])
                == [])
    }

    /// Two codes on one paper card, the second one `seconds` after the first.
    private func stampedTwice(after seconds: Int64) -> [Step] {
        // A code is valid for at most a day, so the second code needs an expiry of its own.
        let expiresAt = Self.dawn.advanced(bySeconds: seconds + 600)
        let second = CodeIssued(
            code: CodeID(101), campaign: Self.campaign, shop: Self.shop, secret: Secret(101), attempt: 0, stamps: 1, expiresAt: expiresAt)
        return [issued(100), waited(100), Step(actor: Self.owner, event: .codeIssued(second), seconds: seconds), waited(101)]
    }

    @Test("The campaign's caps hold for a paper card that nobody has taken yet")
    func capsOfAWaitingPaper() {
        let daily = [edited(caps: StampCaps(stampsPerDayMax: 1, minimumGapSeconds: nil)), printed()]
        #expect(findings(daily + stampedTwice(after: 86_400)) == [])
        let beyond = ["paper \(Self.paper.id.text) got more than 1 stamps in a day"]
        #expect(findings(daily + stampedTwice(after: 86_399)) == beyond)
        #expect(findings(daily + [issued(100, stamps: 2), waited(100, stamps: 2)]) == beyond)
        let spaced = [edited(caps: StampCaps(stampsPerDayMax: nil, minimumGapSeconds: 60)), printed()]
        #expect(findings(spaced + stampedTwice(after: 60)) == [])
        #expect(findings(spaced + stampedTwice(after: 59)) == ["paper \(Self.paper.id.text) was stamped twice within 60 seconds"])
        // For caps, another paper card is treated as another customer, and reversed stamps are ignored.
        let other = PaperName(print: PrintID(70), number: 0)
        #expect(findings(daily + [issued(100), waited(100), issued(101), waited(101, on: other)]) == [])
        #expect(findings(daily + [issued(100), waited(100), gaveUp(100), issued(101), waited(101)]) == [])
    }

    @Test("A paper card is stamped at most a hundred times, including reversed stamps")
    func stampings() {
        let hundred = (0..<100).flatMap { [issued(100 + $0), waited(100 + $0), gaveUp(100 + $0)] }
        #expect(findings([printed()] + hundred) == [])
        let beyond = ["paper \(Self.paper.id.text) was stamped more than 100 times"]
        #expect(findings([printed()] + hundred + [issued(200), waited(200)]) == beyond)
    }

    @Test("Paper cards are not printed after the campaign's end, but are again after it was reopened")
    func printedAfterTheEnd() {
        let tooLate = ["cards were printed for campaign \(Self.campaign.text) after its end"]
        #expect(findings([ended(), printed()]) == tooLate)
        #expect(findings([ended(), reopened(), printed()]) == [])
        var late = printed()
        late.seconds = 9_000_000
        #expect(findings([late]) == tooLate)
    }

    @Test("The stamps on a paper card are reversed once, within a day, and not after the card was taken")
    func takenBack() {
        let waiting = [printed(), issued(100), waited(100)]
        #expect(!findings(waiting + [gaveUp(100), gaveUp(100)]).isEmpty)
        #expect(!findings(waiting + [gaveUp(100, after: 86_400)]).isEmpty)
        #expect(!findings(waiting + [gaveUp(100, stamps: 2)]).isEmpty)
        #expect(!findings(whole + [gaveUp(100)]).isEmpty)
    }
}
