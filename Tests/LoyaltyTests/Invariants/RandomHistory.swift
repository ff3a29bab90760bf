import Loyalty
import World

/// One random history. The code under test folds it into a world, and test code that knows only the written rules keeps a ledger of it.
struct RandomHistory {
    private(set) var world = World()
    private(set) var ledger = Ledger()
    var chaos: Chaos
    /// The number of times that each kind of event and rejection occurred.
    private(set) var reached: [String: Int] = [:]
    /// The number of commands that were judged, and the number of these whose verdict the ledger predicted.
    private(set) var (judged, foreseen) = (0, 0)
    /// How often each rule was checked, by the line of code that checks the rule.
    var checks: [Ledger.Place: Int] { ledger.checks }
    /// The largest number of cards that the ledger ever had at once.
    private(set) var cardsMost = 0
    /// The whole ledger is compared with the world after every so many commands. In between, only the cards that a command touched are
    /// compared.
    private let comparesEvery: Int

    /// The numbers reserved for the people, shops, campaigns, sessions or offers of one town. A town uses fewer.
    static let numbersOfTown: UInt128 = 10_000

    static let kinds = [
        "accountRegistered", "sessionStarted", "sessionRefreshed", "sessionEnded", "shopOpened", "campaignPublished", "campaignEnded",
        "codeIssued", "codeDestroyed", "cardOpened", "cardStamped", "cardDiscarded", "redemptionRequested", "cardRedeemed", "reviewPosted",
        "replyPosted", "reviewRemoved", "noticePosted", "noticeScheduled", "noticeWithdrawn", "noticeRead", "notFound", "forbidden",
        "ownShop", "ownCampaign", "campaignNotRunning", "codeNotOpen", "cardNotFull", "codeNotValid", "redemptionNotValid",
        "sessionNotValid", "secretTaken", "invalid", "shopEdited", "staffInvited", "invitationEnded", "staffJoined", "employmentEnded",
        "roleChanged", "roleRequired", "transferOffered", "transferLapsed", "shopTransferred", "offerNotOpen", "shopMuted", "shopUnmuted",
        "shopSuspended", "shopReinstated", "campaignEdited", "cardAdjusted", "redemptionReversed", "stampReversed", "campaignReopened",
        "campaignOver", "suspended", "notReversible", "stampedTooOften", "cardLimitReached", "couponClaimed", "versionConflict",
        "milestoneRequested", "milestoneRedeemed", "milestoneReversed", "milestoneNotOpen", "cardExpired", "cardReminded", "favoriteAdded",
        "favoriteRemoved", "accountSuspended", "accountReinstated", "shopClosed", "waitingCardTaken",
        "staffLabeled", "waitingOfferTaken", "searchSaved", "searchEdited", "searchRemoved", "searchSeen", "searchAlerted",
        "codeIssued elsewhere", "cardOpened elsewhere", "cardStamped elsewhere", "stampReversed elsewhere", "cardRedeemed elsewhere",
        "redemptionReversed elsewhere", "milestoneRedeemed elsewhere", "milestoneReversed elsewhere",
    ]

    init(seed: UInt64, comparesEvery: Int = 1) {
        self.comparesEvery = comparesEvery
        chaos = Chaos(seed: seed)
        settle()
    }

    /// The start of a town. Six of seven people register, two of them open three shops, and one joins the staff of a shop. So even a short
    /// history reaches many kinds of events. All later commands are random.
    private mutating func settle() {
        let base = chaos.base
        for number in 1...6 as ClosedRange<UInt128> {
            apply(Sample.register(AccountID(base + number), phone: base + number), by: base + number)
        }
        for (shop, owner) in [(1, 1), (2, 2), (3, 1)] as [(UInt128, UInt128)] { apply(Sample.open(ShopID(base + shop)), by: base + owner) }
        apply(Sample.invite(AccountID(base + 3), to: ShopID(base + 1), as: InvitationID(base + 1_000)), by: base + 1)
        apply(Sample.accept(InvitationID(base + 1_000)), by: base + 3)
    }

    private mutating func apply(_ command: Command, by number: UInt128) {
        _ = judge(command, by: AccountID(number))
    }

    /// Begins the next town. People and objects of the present town can still occur there; those of the previous town are dropped.
    ///
    /// - Returns: a description of the first violation, or `nil`.
    mutating func moveOn() -> String? {
        if let difference = ledger.differences(from: world).first { return "\(difference)\nat the end of a town" }
        let bound = chaos.base
        chaos.moveOn()
        world.dropTowns(below: bound)
        ledger.dropTowns(below: bound)
        settle()
        return (ledger.violations.first ?? ledger.differences(from: world).first).map { "\($0)\nat the beginning of a town" }
    }

    /// Performs one random command and checks all rules.
    ///
    /// - Returns: a description of the first violation, or `nil`.
    mutating func step() -> String? {
        chaos.passTime()
        if chaos.luck(12), let reward = milestone() {
            let command = placed(reward)
            let actor = local(rewardedActor(of: command), for: command)
            if let wrong = judge(command, by: actor) { return "\(wrong)\nafter \(command) by \(actor) at \(chaos.now)" }
        }
        if chaos.luck(6), let (command, actor) = chaos.luck(50) ? sharing() : rewardElsewhere(), let wrong = judge(command, by: actor) {
            return "\(wrong)\nafter \(command) by \(actor) at \(chaos.now)"
        }
        if chaos.luck(6), let (command, actor) = chaos.luck(50) ? beyondTheLimit() : lapsing(), let wrong = judge(command, by: actor) {
            return "\(wrong)\nafter \(command) by \(actor) at \(chaos.now)"
        }
        if chaos.luck(8), let (command, actor) = takingOver(), let wrong = judge(command, by: actor) {
            return "\(wrong)\nafter \(command) by \(actor) at \(chaos.now)"
        }
        if chaos.lot(5), let (command, actor) = teaming(), let wrong = judge(command, by: actor) {
            return "\(wrong)\nafter \(command) by \(actor) at \(chaos.now)"
        }
        if chaos.lot(5), let (command, actor) = searching(), let wrong = judge(command, by: actor) {
            return "\(wrong)\nafter \(command) by \(actor) at \(chaos.now)"
        }
        let command = placed(likelyCommand())
        let actor = local(likelyActor(of: command), for: command)
        return judge(command, by: actor).map { "\($0)\nafter \(command) by \(actor) at \(chaos.now)" }
    }

    /// Returns a random command, and at times one that random draws rarely produce, such as the redemption of a full card or a refresh with
    /// the current token.
    private mutating func likelyCommand() -> Command {
        if chaos.chance(3), let full = ledger.papers.filter({ $0.value.isFull }).map(\.key).max() { return chaos.request(for: full) }
        let coupon = ledger.campaigns.values.filter { $0.kind == .coupon }.map(\.campaign).max()
        if chaos.chance(3), let coupon { return chaos.claim(of: coupon) }
        if chaos.chance(1), let (session, family) = ledger.families.filter({ !$0.value.isEnded }).min(by: { $0.key < $1.key }) {
            return chaos.refresh(session, presenting: family.token.value, until: chaos.now.advanced(bySeconds: 900))
        }
        let due = ledger.scheduled.filter { $0.value <= chaos.now }.map(\.key).min()
        if chaos.chance(30), let due { return Sample.publishNotice(due) }
        if chaos.chance(3), let ageing = ageing() { return ageing }
        if chaos.chance(1), let offer = ledger.transfers.values.map(\.invitation).max() { return Sample.accept(offer) }
        if chaos.chance(4), let planned = ledger.scheduled.keys.max() { return Sample.withdrawNotice(planned) }
        if chaos.chance(8), let shop = ledger.closed.min() { return Sample.reinstate(shop) }
        if chaos.chance(8), let account = ledger.suspended.min() { return Sample.reinstate(account) }
        if chaos.chance(3), let staffing = staffing() { return staffing }
        if chaos.chance(6), let slip = likelySlip() { return chaos.stamp(slip.secret) }
        if chaos.chance(2), let correction = correction() { return correction }
        if chaos.chance(2), let atDeadline = commandAtDeadline() { return atDeadline }
        return chaos.command()
    }

    /// Returns a command about a milestone: a reversal, a redemption or a request, mostly for an open milestone. It picks the largest ids,
    /// so that a seed repeats the history.
    private mutating func milestone() -> Command? {
        if chaos.luck(10) {
            let given = ledger.vouchers.filter { $0.value.milestone != nil && $0.value.isRedeemed && !$0.value.isReversed }
            if let redemption = given.keys.max() { return Sample.reverse(redemption) }
        }
        if chaos.luck(45) {
            let shown = ledger.vouchers.filter { $0.value.milestone != nil && !$0.value.isRedeemed && chaos.now < $0.value.expiresAt }
            if let voucher = shown.max(by: { $0.key < $1.key })?.value { return Sample.redeem(voucher.secret) }
        }
        let cards = ledger.papers.filter { !$0.value.milestones.isEmpty && ($0.value.isCollecting || $0.value.isFull) }
        let open = cards.filter { card in card.value.milestones.contains { ledger.isOpen($0, card.value, at: chaos.now) } }
        guard let (card, paper) = (chaos.luck(70) ? open : cards).max(by: { $0.key < $1.key }) else { return nil }
        let milestone = paper.milestones.first { ledger.isOpen($0, paper, at: chaos.now) } ?? paper.milestones[0]
        return chaos.request(milestone, for: card)
    }

    /// Returns a command that enters a code for an account that may fill no further card. Chance alone seldom reaches this limit. It picks
    /// the smallest ids, so that a seed repeats the history.
    private mutating func beyondTheLimit() -> (command: Command, actor: AccountID)? {
        for (_, slip) in ledger.slips.filter({ isOpen($0.value) }).sorted(by: { $0.key < $1.key }) {
            guard let repeats = ledger.campaigns[slip.campaign]?.terms.options.repeats else { continue }
            for holder in ledger.hands.keys.filter({ $0.campaign == slip.campaign }).map(\.holder).sorted()
            where ledger.filled(holder, slip.campaign) >= repeats && ledger.collecting(holder, slip.campaign).isEmpty {
                return (chaos.stamp(slip.secret), holder)
            }
        }
        return nil
    }

    /// Returns mostly an actor who may give the command. It draws only from the generator for milestones.
    private mutating func rewardedActor(of command: Command) -> AccountID {
        let likely: AccountID? =
            switch command {
            case .requestRedemption(let command): ledger.papers[command.card]?.holder
            case .redeem(let command): owner(redeeming: command.secret)
            case .reverseRedemption(let command): owner(of: ledger.vouchers[command.redemption])
            default: nil
            }
        return chaos.luck(92) ? likely ?? AccountID(chaos.base + 1) : AccountID(chaos.base + 2)
    }

    /// Returns a command to age a card. Sometimes it sets the clock to the time of a reminder or of the card's end, or one microsecond
    /// before. It picks the smallest ids, so that a seed repeats the history.
    private mutating func ageing() -> Command? {
        let ending = ledger.papers.filter { $0.value.endsAt.microseconds < .max && ($0.value.isFull || $0.value.isCollecting) }
        // Reminders are rare, because few cards are valid for more than two days.
        let reminded = ending.filter { $0.value.reminders.isEmpty && $0.value.openedAt.advanced(bySeconds: 2 * 86_400) < $0.value.endsAt }
        let isReminder = !reminded.isEmpty && chaos.luck(50)
        guard let (card, paper) = (isReminder ? reminded : ending).min(by: { $0.key < $1.key }) else { return nil }
        let days = isReminder ? 2 : Int64([14, 2, 0][chaos.number(in: 0..<3)])
        let moment = Instant(microseconds: paper.endsAt.microseconds - days * 86_400_000_000 - (chaos.chance(30) ? 1 : 0))
        if chaos.chance(35), moment > chaos.now { chaos.jump(to: moment) }
        return chaos.chance(80) ? chaos.age(card) : nil
    }

    /// Returns an answer to an offer (usually an open offer), an offer of a role, or the end of a mute.
    private mutating func staffing() -> Command? {
        if chaos.chance(30) { return ledger.mutes.map(\.shop).min().map { Sample.unmute($0) } }
        if chaos.chance(30) { return roleChange() }
        // Nobody can answer an offer that waits for the holder of a number.
        let numbers = AccountID(chaos.base + 9_600)
        let open = ledger.offers.filter { $0.value.account < numbers }.map(\.key) + ledger.transfers.values.map(\.invitation)
        let invitations = chaos.chance(60) ? open : ledger.invited.filter { $0.value < numbers }.map(\.key)
        guard let invitation = invitations.max() else { return nil }
        return chaos.chance(50) ? Sample.accept(invitation) : Sample.decline(invitation)
    }

    /// Returns a correction of an existing object, because random ids seldom name one that can be corrected. It picks the largest or the
    /// smallest ids, so that a seed repeats the history.
    private mutating func correction() -> Command? {
        if chaos.chance(40) { return reversal() }
        if chaos.chance(30) { return ledger.endedCampaigns.min().map { Sample.reopen($0) } }
        guard chaos.chance(50) else { return ledger.papers.keys.max().map { chaos.adjust($0) } }
        let redeemed = ledger.vouchers.filter { $0.value.isRedeemed && !$0.value.isReversed }.max { $0.key < $1.key }
        guard let (id, voucher) = redeemed, let redeemedAt = voucher.redeemedAt else { return nil }
        if chaos.chance(10) { chaos.jump(to: redeemedAt.advanced(bySeconds: 86_400)) }
        return chaos.reverse(id)
    }

    /// Uses a valid code or redemption at the exact moment when the code, the redemption or its campaign ends. It picks the smallest ids,
    /// so that a seed repeats the history.
    private mutating func commandAtDeadline() -> Command? {
        if chaos.chance(30), let (_, voucher) = ledger.vouchers.filter({ isPending($0.value) }).min(by: { $0.key < $1.key }) {
            chaos.jump(to: voucher.expiresAt)
            return Sample.redeem(voucher.secret)
        }
        let open = ledger.slips.filter { isOpen($0.value) }
        guard let slip = open.min(by: { $0.key < $1.key })?.value, let campaign = ledger.campaigns[slip.campaign] else { return nil }
        chaos.jump(to: min(slip.expiresAt, campaign.terms.endsAt))
        return chaos.stamp(slip.secret)
    }

    private func isOpen(_ slip: Ledger.Slip) -> Bool {
        !slip.spent && !slip.withdrawn && !slip.lost && chaos.now < slip.expiresAt
    }

    private func isPending(_ voucher: Ledger.Voucher) -> Bool {
        chaos.now < voucher.expiresAt && ledger.papers[voucher.card]?.isFull == true
    }

    /// Returns mostly an account that may give the command, but less often for stamps, because any account may try a code.
    private mutating func likelyActor(of command: Command) -> AccountID {
        // Only the service's scheduler submits these two commands.
        if case .publishNotice = command { return .system }
        if case .ageCard = command { return .system }
        guard chaos.chance(75) else { return chaos.account() }
        let likely: AccountID? =
            switch command {
            case .publishCampaign(let command): ledger.owners[command.shop]
            case .issueCode(let command): ledger.campaigns[command.campaign].flatMap { ledger.owners[$0.shop] }
            case .giveStamps(let command): ledger.campaigns[command.issue.campaign].flatMap { ledger.owners[$0.shop] }
            case .endCampaign(let command): ledger.campaigns[command.campaign].flatMap { ledger.owners[$0.shop] }
            case .editShop(let command): ledger.owners[command.shop]
            case .closeShop(let command): ledger.owners[command.shop]
            case .inviteStaff(let command): ledger.owners[command.shop]
            case .offerTransfer(let command): ledger.owners[command.shop]
            case .withdrawTransfer(let command): ledger.owners[command.shop]
            case .acceptInvitation(let command): ledger.invited[command.invitation]
            case .declineInvitation(let command): ledger.invited[command.invitation]
            case .withdrawInvitation(let command): ledger.owners[command.shop]
            case .unmuteShop(let command): ledger.mutes.filter { $0.shop == command.shop }.map(\.account).max()
            case .staff(.leave(let command)): ledger.crews[command.shop]?.max()
            case .staff(.remove(let command)): ledger.owners[command.shop]
            case .editCampaign(let command): ledger.campaigns[command.campaign].flatMap { ledger.owners[$0.shop] }
            case .reverseRedemption(let command): owner(of: ledger.vouchers[command.redemption])
            case .reverseStamp(let command): ledger.slips[command.code].flatMap { ledger.owners[$0.shop] }
            case .reopenCampaign(let command): ledger.campaigns[command.campaign].flatMap { ledger.owners[$0.shop] }
            case .destroyCode(let command): ledger.slips[command.code].flatMap { ledger.owners[$0.shop] }
            case .requestRedemption(let command): ledger.papers[command.card]?.holder
            case .discardCard(let command): ledger.papers[command.card]?.holder
            case .stamp(let command): chaos.chance(40) ? holder(stampingAgain: command.secret) : nil
            case .redeem(let command): owner(redeeming: command.secret)
            case .refreshSession(let command): world.sessions[command.session]?.account
            case .endSession(let command): world.sessions[command.session]?.account
            case .removeReview(let command): ledger.authors[command.review]
            case .postNotice(let command): command.audience.shop.flatMap { ledger.owners[$0] }
            case .withdrawNotice(let command): world.notices[command.notice]?.author
            default: nil
            }
        return likely ?? chaos.account()
    }

    /// Returns an account that has stamped in the code's campaign before.
    private func holder(stampingAgain secret: Secret) -> AccountID? {
        guard let slip = ledger.slips.values.first(where: { $0.secret == secret }) else { return nil }
        return begun(in: slip.campaign).min { $0.key < $1.key }?.value.holder
    }

    /// Returns the collecting cards of a campaign that have stamps from codes.
    private func begun(in campaign: CampaignID) -> [CardID: Ledger.Paper] {
        ledger.papers.filter { $0.value.campaign == campaign && $0.value.isCollecting && !$0.value.gains.isEmpty }
    }

    /// Returns the newest open code, preferably of a capped campaign with a collecting card, because random draws rarely reach a cap.
    private func likelySlip() -> Ledger.Slip? {
        let open = ledger.slips.filter { isOpen($0.value) }
        let capped = open.filter { (_, slip) in
            ledger.campaigns[slip.campaign].map { $0.terms.caps != .none } == true && !begun(in: slip.campaign).isEmpty
        }
        return (capped.isEmpty ? open : capped).max { $0.key < $1.key }?.value
    }

    private func owner(redeeming secret: Secret) -> AccountID? {
        owner(of: ledger.vouchers.values.first { $0.secret == secret })
    }

    private mutating func judge(_ command: Command, by actor: AccountID) -> String? {
        let now = chaos.now
        let (verdict, isChanged) = decide(command, by: actor, at: now)
        if isChanged { return "deciding changed the world" }
        judged += 1
        guard agrees(verdict, command, actor, now) else { return "wrong verdict \(verdict)" }
        switch verdict {
        case .failure(let rejection): count("\(rejection)")
        case .success(let events): record(events, by: actor, at: now)
        }
        cardsMost = max(cardsMost, ledger.papers.count)
        let touched = judged % comparesEvery == 0 ? nil : Set(((try? verdict.get()) ?? []).compactMap(\.card))
        return ledger.violations.first ?? ledger.differences(from: world, in: touched).first
            ?? again(command, by: actor, at: now, after: verdict)
    }

    /// Returns the verdict, and whether deciding changed the world. It keeps no copy of the world, because the next event would then have
    /// to copy the world's tables.
    private mutating func decide(
        _ command: Command, by actor: AccountID, at now: Instant
    ) -> (verdict: Result<[LoyaltyEvent], Rejection>, isChanged: Bool) {
        let before = world
        let verdict = command.decide(in: &world, by: actor, at: now)
        return (verdict, world != before)
    }

    /// Whether the ledger agrees with the verdict; true for commands that the ledger does not judge.
    private mutating func agrees(_ verdict: Result<[LoyaltyEvent], Rejection>, _ command: Command, _ actor: AccountID, _ now: Instant)
        -> Bool
    {
        let rejection: Rejection? = if case .failure(let rejection) = verdict { rejection } else { nil }
        if rejection == .accountSuspended { return ledger.suspended.contains(actor) }
        foreseen += 1
        switch command {
        case .stamp(let command): return isSame(rejection, ledger.refusal(of: command, by: actor, at: now))
        case .giveStamps, .stampPaper: return rejection != .codeNotValid  // Nothing can end a code that is issued in the same step.
        case .claimCoupon(let command): return rejection == ledger.refusal(of: command, by: actor, at: now)
        case .reverseRedemption(let command): return (rejection == nil) == ledger.accepts(command, by: actor, at: now)
        case .redeem(let command): return (rejection == nil) == ledger.accepts(command, by: actor, at: now)
        case .reverseStamp(let command): return ledger.accepts(command, by: actor, at: now).map { $0 == (rejection == nil) } ?? true
        case .requestRedemption(let command):
            let expected = ledger.refusal(of: command, by: actor, at: now)
            // A command whose id or secret is in use is rejected before all other checks. A repeated request is accepted whatever the
            // state of the shop.
            let isOpen = expected == nil || expected == .shopClosed
            let isRepeated = (try? verdict.get())?.isEmpty == true
            return rejection == expected || (isOpen && (rejection == .secretTaken || rejection == .notFound || isRepeated))
        case .refreshSession(let command):
            let refreshed: Bool? = (try? verdict.get())?.first.map { if case .sessionRefreshed = $0 { true } else { false } }
            return refreshed == ledger.outcome(of: command, by: actor, at: now)
        case .search(.alert(let command)):
            let told = (try? verdict.get())?.compactMap { if case .searchAlerted(let event) = $0 { event.campaigns.ids } else { nil } }
            return (told?.first ?? []) == ledger.named(by: command, at: now)
        case .lapseTransfer(let command): return (try? verdict.get())?.isEmpty == !ledger.lapses(command.shop, at: now)
        default:
            foreseen -= 1
            return true
        }
    }

    /// Compares two rejections. Waiting times are ignored, because the ledger does not compute them.
    private func isSame(_ came: Rejection?, _ expected: Rejection?) -> Bool {
        if case .stampedTooOften = came, case .stampedTooOften = expected { return true }
        return came == expected
    }

    private mutating func record(_ events: [LoyaltyEvent], by actor: AccountID, at now: Instant) {
        var batch: [Fact] = []
        for event in events {
            let fact = Fact(position: world.position + 1, time: now, actor: actor, event: event)
            world.evolve(fact)
            batch.append(fact)
            count("\(event)", event.home == nil ? "" : " elsewhere")
        }
        ledger.enter(batch)
    }

    /// Counts an enum case by its name, which precedes the payload in the description; an event at a shop other than the campaign's own is
    /// also counted separately.
    private mutating func count(_ description: String, _ place: String = "") {
        let name = String(description.prefix { $0 != "(" })
        reached[name, default: 0] += 1
        if !place.isEmpty { reached[name + place, default: 0] += 1 }
    }

    /// Repeats the command, which must cause no further events. A repeated refresh is exempt: its token is used up, so it may end the
    /// session. Repeated adjustments and reversals of a part are exempt, because each is a new one.
    private mutating func again(
        _ command: Command, by actor: AccountID, at now: Instant, after verdict: Result<[LoyaltyEvent], Rejection>
    ) -> String? {
        switch command {
        // Each look at a search is a new one, too.
        case .refreshSession, .adjustCard, .search(.see): return nil
        case .reverseStamp(let command) where command.stamps != nil: return nil
        default: break
        }
        guard case .success = verdict, case .success(let more) = command.decide(in: &world, by: actor, at: now) else { return nil }
        return more.isEmpty ? nil : "the same command again caused \(more)"
    }
}
