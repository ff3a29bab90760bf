import Loyalty
import Testing
import World

/// A card expires after the number of days that its campaign names. The clock decides whether it has expired, and the writer records the
/// end as an event later.
@Suite("The time of cards")
struct CardTimeTests {
    private static let next = CardID(401)
    private static let other = CodeID(31)
    private static let days = 20
    private static let end = Sample.afterDays(Int64(days))
    private static let early = Instant(microseconds: end.microseconds - 1)
    private static let terms = CardTerms(expiresAt: end, redeemUntil: nil)

    /// A campaign of ten stamps whose cards expire after twenty days.
    private func campaign(_ options: CampaignOptions = CampaignOptions(cardValidDays: days), goal: Int = 10) -> Scenario {
        Scenario.registered.given(
            Sample.shopOpened(), Sample.shopOpened(Sample.rivalShop, by: Sample.rival), Sample.published(goal: goal, options: options)
        ).employing(Sample.staff)
    }

    /// The customer has three of ten stamps.
    private var begun: Scenario {
        campaign().given(Sample.issued(stamps: 3), Sample.opened(terms: Self.terms), Sample.stamped(3))
    }

    /// The customer has a full card.
    private var full: Scenario {
        campaign().given(Sample.issued(stamps: 10), Sample.opened(terms: Self.terms), Sample.stamped(10))
    }

    private func shown(_ scenario: Scenario, stamps: Int = 1, at time: Instant) -> Scenario {
        scenario.given(
            [Sample.issued(Self.other, secret: Secret(8), stamps: stamps, expiresAt: time.advanced(bySeconds: 600))], at: time)
    }

    // MARK: Expiry

    @Test("A card expires once, at its due time and not a microsecond earlier", arguments: [false, true])
    func expires(_ isFull: Bool) throws {
        let scenario = isFull ? full : begun
        let reminded = scenario.given(Sample.reminded(2, before: Self.end), at: Sample.afterDays(18))
        reminded.when(Sample.age(), by: .system, at: Self.early).thenNothing()
        let over = reminded.when(Sample.age(), by: .system, at: Self.end).then(Sample.expired(at: Self.end))
        over.when(Sample.age(), by: .system, at: Sample.afterDays(400)).thenNothing()
        let card = try #require(over.world.cards[Sample.card])
        #expect(card.status == .expired && card.history.last?.kind == .expired && card.room == 0)
        #expect(over.world.collectingCard(of: Sample.customer, in: Sample.campaign) == nil)
    }

    @Test("After a month without the service a card has expired at the moment that it was due, and nobody is reminded")
    func late() {
        begun.when(Sample.age(), by: .system, at: Sample.afterDays(50)).then(Sample.expired(at: Self.end))
    }

    @Test("A clock that is set back revives no expired card")
    func setBack() {
        let over = begun.given(Sample.expired(at: Self.end), at: Self.end)
        over.when(Sample.age(), by: .system, at: Sample.start).thenNothing()
        #expect(over.world.cards[Sample.card]?.status(at: Sample.start) == .expired)
        shown(over, at: Sample.start).when(Sample.stamp(Secret(8), firstCard: Self.next), by: Sample.customer)
            .then(Sample.opened(Self.next, terms: Self.terms), Sample.stamped(1, on: Self.next, with: Self.other))
    }

    @Test("A card's status follows the clock, whether or not the end of the card is recorded")
    func status() throws {
        for (scenario, before) in [(begun, CardStatus.collecting), (full, .full)] {
            let card = try #require(scenario.world.cards[Sample.card])
            #expect(card.status(at: Self.early) == before && card.status(at: Self.end) == .expired)
            #expect(card.aged(to: Self.end).status == .expired && card.aged(to: Self.end).stamps == card.stamps)
        }
        let redeemed = full.given(Sample.requested(), Sample.redeemed())
        #expect(redeemed.world.cards[Sample.card]?.status(at: Self.end) == .redeemed)
        #expect(begun.given(Sample.discarded()).world.cards[Sample.card]?.status(at: Self.end) == .discarded)
    }

    @Test("No end is recorded for a card that has no end, is redeemed, discarded or unknown, or whose holder is erased")
    func nothing() {
        let endless = Scenario.codeShown.given(Sample.opened(), Sample.stamped())
        let erased = begun.given(.accountErased(AccountErased(account: Sample.customer)))
        for scenario in [endless, full.given(Sample.requested(), Sample.redeemed()), begun.given(Sample.discarded()), campaign(), erased] {
            scenario.when(Sample.age(), by: .system, at: Sample.afterDays(40)).thenNothing()
        }
    }

    // MARK: Reminders

    @Test("The holder is reminded fourteen and two days before the end, each time once, not a microsecond early")
    func reminders() throws {
        let (first, last) = (Sample.afterDays(6), Sample.afterDays(18))
        begun.when(Sample.age(), by: .system, at: Instant(microseconds: first.microseconds - 1)).thenNothing()
        let once = begun.when(Sample.age(), by: .system, at: first).then(Sample.reminded(14, before: Self.end))
        once.when(Sample.age(), by: .system, at: Instant(microseconds: last.microseconds - 1)).thenNothing()
        let second = Sample.age(notice: NoticeID(81))
        let twice = once.when(second, by: .system, at: last).then(Sample.reminded(2, before: Self.end, notice: NoticeID(81)))
        twice.when(Sample.age(notice: NoticeID(82)), by: .system, at: Self.early).thenNothing()
        let card = try #require(twice.world.cards[Sample.card])
        #expect(card.status == .collecting && card.history.suffix(2).map(\.kind) == [.reminded, .reminded])
        // A reminder is a notice, which the card's holder can mark as read.
        twice.when(Sample.read(), by: Sample.customer, at: last).then(Sample.noticeRead())
    }

    @Test("After a pause the holder gets only the latest reminder that is due")
    func pause() {
        begun.when(Sample.age(), by: .system, at: Sample.afterDays(10)).then(Sample.reminded(14, before: Self.end))
        begun.when(Sample.age(), by: .system, at: Sample.afterDays(19)).then(Sample.reminded(2, before: Self.end))
    }

    @Test("A reminder that was due when the card opened is left out", arguments: [(14, 12), (15, 1), (2, nil), (3, 1), (1, nil)])
    func short(_ days: Int, _ firstDay: Int?) {
        let end = Sample.afterDays(Int64(days))
        let card = campaign(CampaignOptions(cardValidDays: days)).given(
            Sample.issued(), Sample.opened(terms: CardTerms(expiresAt: end, redeemUntil: nil)), Sample.stamped())
        for hour: Int64 in 0..<Int64(days * 24) {
            let now = Sample.after(hour * 3_600)
            let isDue = firstDay.map { hour >= Int64($0) * 24 } ?? false
            let outcome = card.when(Sample.age(), by: .system, at: now)
            if isDue { outcome.thenAccepted() } else { outcome.thenNothing() }
        }
    }

    @Test("No reminder is due once a card can no longer be redeemed; one that was due before is recorded once, also after a pause")
    func redeemedNoMore() {
        // The first reminder is due on the sixth day, and the second on the eighteenth. Rewards can be redeemed up to the eighteenth day.
        let until = Sample.afterDays(18)
        let terms = CardTerms(expiresAt: Self.end, redeemUntil: until)
        let held = campaign().given(Sample.issued(stamps: 10), Sample.opened(terms: terms), Sample.stamped(10))
        held.when(Sample.age(), by: .system, at: Sample.afterDays(6)).then(Sample.reminded(14, before: Self.end))
        let last = Instant(microseconds: until.microseconds - 1)
        held.when(Sample.age(), by: .system, at: last).then(Sample.reminded(14, before: Self.end))
        let reminded = held.given([Sample.reminded(14, before: Self.end)], at: Sample.afterDays(6))
        for day in 18..<20 {
            let now = Sample.afterDays(Int64(day))
            held.when(Sample.age(), by: .system, at: now).then(Sample.reminded(14, before: Self.end))
            reminded.when(Sample.age(), by: .system, at: now).thenNothing()
        }
        for scenario in [held, reminded] {
            scenario.when(Sample.age(), by: .system, at: Self.end).then(Sample.expired(at: Self.end))
        }
        #expect(terms.reminders(openedAt: Sample.start).map(\.daysLeft) == [14])
        let longer = CardTerms(expiresAt: Self.end, redeemUntil: Instant(microseconds: until.microseconds + 1))
        #expect(longer.reminders(openedAt: Sample.start).map(\.daysLeft) == [14, 2])
    }

    @Test("No reminder is due once the card's shop has closed and hands out no more rewards, also after a pause")
    func closedShop() {
        // The first reminder is due on the sixth day, and the second on the eighteenth. The shop hands out rewards up to the eighteenth
        // day.
        let held = full.given([Sample.closed(redeemUntil: Sample.afterDays(18), erasesContact: false)], at: Sample.afterDays(3))
        held.when(Sample.age(), by: .system, at: Sample.afterDays(6)).then(Sample.reminded(14, before: Self.end))
        let reminded = held.given([Sample.reminded(14, before: Self.end)], at: Sample.afterDays(6))
        let atOnce = full.given([Sample.closed(redeemUntil: Sample.afterDays(3))], at: Sample.afterDays(3))
        // The second reminder needs another notice id, because an id can be used only once.
        let second = Sample.age(notice: NoticeID(81))
        for day in 6..<20 {
            atOnce.when(Sample.age(), by: .system, at: Sample.afterDays(Int64(day))).thenNothing()
            guard day >= 18 else { continue }
            reminded.when(second, by: .system, at: Sample.afterDays(Int64(day))).thenNothing()
        }
        for scenario in [reminded, atOnce] { scenario.when(Sample.age(), by: .system, at: Self.end).then(Sample.expired(at: Self.end)) }
        // A reminder is due if the shop hands out rewards a moment longer, or if the card is of another shop.
        let longer = Sample.closed(redeemUntil: Sample.afterDays(18).advanced(bySeconds: 1), erasesContact: false)
        reminded.given([longer], at: Sample.afterDays(4)).when(second, by: .system, at: Sample.afterDays(18))
            .then(Sample.reminded(2, before: Self.end, notice: NoticeID(81)))
        full.given([Sample.closed(Sample.rivalShop, redeemUntil: Sample.start)]).when(Sample.age(), by: .system, at: Sample.afterDays(18))
            .then(Sample.reminded(2, before: Self.end))
    }

    @Test("Nobody is reminded of a redeemed, discarded or expired card; after the redemption is taken back, the holder is reminded")
    func spent() {
        let day = Sample.afterDays(18)
        let redeemed = full.given([Sample.requested(), Sample.redeemed()], at: Sample.afterDays(17))
        for scenario in [redeemed, full.given(Sample.discarded()), full.given(Sample.expired(at: Self.end), at: Self.end)] {
            scenario.when(Sample.age(), by: .system, at: day).thenNothing()
        }
        redeemed.given([Sample.reversed()], at: Sample.afterDays(17)).when(Sample.age(), by: .system, at: day)
            .then(Sample.reminded(2, before: Self.end))
    }

    @Test("A reminder with the id of an existing notice is not recorded")
    func takenID() {
        let taken = begun.given(Sample.notified())
        taken.when(Sample.age(), by: .system, at: Sample.afterDays(6)).thenNothing()
    }

    // MARK: An expired card and other commands

    @Test("A stamp at the end opens a new card, and records the end of the old one first", arguments: [false, true])
    func stamp(_ isRecorded: Bool) {
        shown(begun, at: Self.early).when(Sample.stamp(Secret(8), firstCard: Self.next), by: Sample.customer, at: Self.early)
            .then(Sample.stamped(1, with: Self.other))
        let past = isRecorded ? begun.given(Sample.expired(at: Self.end), at: Self.end) : begun
        let opened = Sample.opened(Self.next, terms: CardTerms(expiresAt: Sample.afterDays(40), redeemUntil: nil))
        let stamped = Sample.stamped(1, on: Self.next, with: Self.other)
        let outcome = shown(past, at: Self.end).when(Sample.stamp(Secret(8), firstCard: Self.next), by: Sample.customer, at: Self.end)
        let after = isRecorded ? outcome.then(opened, stamped) : outcome.then(Sample.expired(at: Self.end), opened, stamped)
        #expect(after.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Self.next)
    }

    @Test("Many stamps at a card's end go onto new cards only, as many as an account may fill")
    func manyStamps() {
        let options = CampaignOptions(repeats: 2, cardValidDays: Self.days)
        let past = campaign(options, goal: 4).given(
            Sample.issued(stamps: 3), Sample.opened(goal: 4, terms: Self.terms), Sample.stamped(3))
        let terms = CardTerms(expiresAt: Sample.afterDays(40), redeemUntil: nil)
        shown(past, stamps: 9, at: Self.end).when(Sample.stamp(Secret(8), firstCard: Self.next), by: Sample.customer, at: Self.end)
            .then(
                Sample.expired(at: Self.end), Sample.opened(Self.next, goal: 4, terms: terms),
                Sample.stamped(4, on: Self.next, with: Self.other), Sample.opened(CardID(402), goal: 4, terms: terms),
                Sample.stamped(4, on: CardID(402), with: Self.other, worth: 5))
        // The id of the second new card is already in use, so the command is rejected.
        let taken = past.given([Sample.opened(CardID(402), by: Sample.stranger, goal: 4)], at: Self.end)
        shown(taken, stamps: 9, at: Self.end).when(Sample.stamp(Secret(8), firstCard: Self.next), by: Sample.customer, at: Self.end)
            .thenRejected(.notFound)
        shown(taken, stamps: 2, at: Self.early).when(Sample.stamp(Secret(8), firstCard: Self.next), by: Sample.customer, at: Self.early)
            .thenAccepted()
    }

    @Test("Stamps at the counter open a new card if the time of the old one is over")
    func counter() {
        let issue = IssueCode(
            code: Self.other, campaign: Sample.campaign, secret: Secret(8), attempt: 0, stamps: 1, validFor: 600)
        let give = Command.giveStamps(GiveStamps(issue: issue, holder: Sample.customer, isWaiting: false, firstCard: Self.next))
        begun.when(give, by: Sample.staff, at: Self.end).then(
            Sample.issued(Self.other, secret: Secret(8), expiresAt: Self.end.advanced(bySeconds: 600)), Sample.expired(at: Self.end),
            Sample.opened(Self.next, terms: CardTerms(expiresAt: Sample.afterDays(40), redeemUntil: nil)),
            Sample.stamped(1, on: Self.next, with: Self.other))
    }

    @Test("An expired card is not redeemed, and its last code works no longer than the card")
    func redemption() {
        let late = Sample.afterDays(Int64(Self.days)).advanced(bySeconds: -60)
        let asked = full.when(Sample.request(), by: Sample.customer, at: late).then(Sample.requested(expiresAt: Self.end))
        asked.when(Sample.redeem(), by: Sample.staff, at: Self.early).then(Sample.redeemed())
        asked.when(Sample.redeem(), by: Sample.staff, at: Self.end).thenRejected(.redemptionNotValid)
        full.when(Sample.request(), by: Sample.customer, at: Self.end).thenRejected(.cardNotFull)
        full.given(Sample.expired(at: Self.end), at: Self.end).when(Sample.request(), by: Sample.customer, at: Self.end)
            .thenRejected(.cardNotFull)
        // The program never issues a redemption code that ends later than its card. But even such a code would not be valid after the
        // card's end.
        let other = full.given([Sample.requested(expiresAt: Self.end.advanced(bySeconds: 240))], at: late)
        other.when(Sample.redeem(), by: Sample.staff, at: Self.end).thenRejected(.redemptionNotValid)
    }

    @Test("A coupon expires like a card")
    func coupon() {
        let claimed = Scenario.registered.given(
            Sample.shopOpened(), Sample.published(kind: .coupon, options: CampaignOptions(cardValidDays: Self.days)),
            Sample.opened(goal: 0, terms: Self.terms))
        let over = claimed.when(Sample.age(), by: .system, at: Self.end).then(Sample.expired(at: Self.end))
        for scenario in [claimed, over] {
            scenario.when(Sample.request(), by: Sample.customer, at: Self.end).thenRejected(.cardNotFull)
            scenario.when(Sample.claim(Self.next), by: Sample.customer, at: Self.end).thenRejected(.couponClaimed)
        }
    }

    @Test("A reward that is taken back after the card's end does not make the card usable again")
    func reversal() throws {
        let late = Sample.afterDays(Int64(Self.days)).advanced(bySeconds: -60)
        let redeemed = full.given([Sample.requested(), Sample.redeemed()], at: late)
        redeemed.when(Sample.age(), by: .system, at: Self.end).thenNothing()
        let reversed = redeemed.when(Sample.reverse(), by: Sample.owner, at: Self.end).then(Sample.reversed())
        #expect(reversed.world.cards[Sample.card]?.status(at: Self.end) == .expired)
        reversed.when(Sample.request(RedemptionID(51), secret: Secret(9)), by: Sample.customer, at: Self.end).thenRejected(.cardNotFull)
        reversed.when(Sample.age(), by: .system, at: Self.end).then(Sample.expired(at: Self.end))
    }

    @Test("An expired card is not adjusted, and does not keep another card from collecting again")
    func adjustment() {
        begun.when(Sample.adjust(by: 1), by: Sample.owner, at: Self.early).thenAccepted()
        begun.when(Sample.adjust(by: 1), by: Sample.owner, at: Self.end).thenInvalid("stamps")
        begun.given(Sample.expired(at: Self.end), at: Self.end).when(Sample.adjust(by: 1), by: Sample.owner, at: Self.end)
            .thenInvalid("stamps")
        // The customer has a full card without an end, and a newer card with an end.
        let both = Scenario.cardFull.given(
            Sample.issued(Self.other, secret: Secret(8), stamps: 4), Sample.opened(Self.next, terms: Self.terms),
            Sample.stamped(4, on: Self.next, with: Self.other))
        both.when(Sample.adjust(by: -1), by: Sample.owner, at: Self.early).thenInvalid("stamps")
        let adjusted = both.when(Sample.adjust(by: -1), by: Sample.owner, at: Self.end)
        adjusted.thenAccepted()
        #expect((try? adjusted.verdict.get())?.first == Sample.expired(Self.next, at: Self.end))
        #expect(adjusted.after.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Sample.card)
    }

    @Test("Stamps are taken off an expired card, which stays expired", arguments: [false, true])
    func takenBack(_ isRecorded: Bool) {
        let late = Sample.afterDays(Int64(Self.days)).advanced(bySeconds: -60)
        var past = begun.given(
            [Sample.issued(Self.other, secret: Secret(8), stamps: 7), Sample.stamped(7, with: Self.other)], at: late)
        let reversed = Sample.tookBack(7, with: Self.other)
        if isRecorded { past = past.given(Sample.expired(at: Self.end), at: Self.end) }
        let outcome = past.when(Sample.takeBack(Self.other), by: Sample.staff, at: Self.end)
        let after = isRecorded ? outcome.then(reversed) : outcome.then(Sample.expired(at: Self.end), reversed)
        #expect(after.world.cards[Sample.card]?.status == .expired && after.world.cards[Sample.card]?.stamps == 3)
        #expect(after.world.collectingCard(of: Sample.customer, in: Sample.campaign) == nil)
    }

    @Test("A full card that collects again takes the place of an expired one, which is not discarded")
    func collectsAgain() {
        let past = Scenario.cardFull.given(
            Sample.issued(Self.other, secret: Secret(8), stamps: 4),
            Sample.opened(Self.next, terms: CardTerms(expiresAt: Sample.after(60), redeemUntil: nil)),
            Sample.stamped(4, on: Self.next, with: Self.other))
        let after = past.when(Sample.takeBack(), by: Sample.staff, at: Sample.after(60))
            .then(Sample.expired(Self.next, at: Sample.after(60)), Sample.tookBack(10))
        #expect(after.world.collectingCard(of: Sample.customer, in: Sample.campaign)?.id == Sample.card)
    }

    @Test("The holder discards an expired card once")
    func discarding() {
        for scenario in [begun, begun.given(Sample.expired(at: Self.end), at: Self.end)] {
            let away = scenario.when(Sample.discard(), by: Sample.customer, at: Self.end).then(Sample.discarded())
            away.when(Sample.age(), by: .system, at: Self.end).thenNothing()
        }
    }

    // MARK: The number of days in the campaign's terms

    @Test("An edited number of days applies to cards that open later, and the number is 1 to 1,827")
    func days() {
        for days in [0, -1, 1_828] {
            Scenario.registered.given(Sample.shopOpened()).when(
                Sample.publish(options: CampaignOptions(cardValidDays: days)), by: Sample.owner
            ).thenInvalid("cardValidDays")
        }
        var changes = CampaignOptionChanges()
        changes.cardValidDays = .set(5)
        let edited = begun.when(Sample.edit(Sample.campaign, options: changes), by: Sample.owner).after
        #expect(edited.world.cards[Sample.card]?.terms == Self.terms)
        edited.when(Sample.age(), by: .system, at: Sample.afterDays(5)).thenNothing()
    }
}
