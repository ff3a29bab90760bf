import Loyalty
import LoyaltyCodec
import Seeds

/// Random valid events that cover every case, optional fields with and without a value, texts in many scripts, and the limits of every
/// range.
struct RandomEvents {
    var random: SeededRandom

    static let caseCount = 74

    mutating func event() -> LoyaltyEvent {
        event(ofCase: Int.random(in: 0..<Self.caseCount, using: &random))
    }

    mutating func event(ofCase index: Int) -> LoyaltyEvent {
        switch index {
        case 0: .accountRegistered(.init(account: id(), phone: secret(), sealedPhone: sealed()))
        case 1: .sessionStarted(.init(session: id(), account: id(), token: secret(), expiresAt: time()))
        case 2: .sessionRefreshed(.init(session: id(), account: id(), token: secret(), expiresAt: time()))
        case 3: .sessionEnded(.init(session: id(), account: id(), ending: flip() ? .signedOut : .tokenReused))
        case 4: .shopOpened(shopOpened())
        case 5: .campaignPublished(campaignPublished())
        case 6: .campaignEnded(.init(campaign: id(), shop: id()))
        case 7: .codeIssued(codeIssued())
        case 8: .codeDestroyed(.init(code: id(), campaign: id(), shop: id()))
        case 9: .cardOpened(cardOpened())
        case 10: .cardStamped(cardStamped())
        case 11: .cardDiscarded(.init(card: id(), campaign: id(), shop: id(), holder: id()))
        case 12: .redemptionRequested(redemptionRequested())
        case 13: .cardRedeemed(.init(redemption: id(), card: id(), campaign: id(), shop: id(), home: home(), holder: id()))
        case 29: .profileEdited(.init(account: id(), change: profileChange()))
        case 30: .passwordSet(.init(account: id(), sealedHash: sealed()))
        case 31: .accountErased(.init(account: id()))
        case 32: .passwordRemoved(.init(account: id()))
        case 14: .reviewPosted(reviewPosted())
        case 15: .replyPosted(replyPosted())
        case 16: .shopEdited(shopEdited())
        case 17: .staffAdded(.init(shop: id(), account: id()))
        case 18: .staffRemoved(.init(shop: id(), account: id()))
        case 19: .shopSuspended(.init(shop: id(), reason: typed()))
        case 20: .shopReinstated(.init(shop: id(), reason: typed()))
        case 21: .campaignEdited(campaignEdited())
        case 22: .cardAdjusted(cardAdjusted())
        case 23:
            .redemptionReversed(
                .init(redemption: id(), card: id(), campaign: id(), shop: id(), home: home(), holder: id(), reason: typed()))
        case 24: .reviewRemoved(.init(review: id(), thread: id(), shop: id(), author: id(), byOperator: flip()))
        case 25:
            .noticePosted(
                .init(
                    notice: id(), audience: audience(), author: id(), title: sealed(), text: sealed(), dueAt: flip() ? time() : nil))
        case 52:
            .noticeScheduled(.init(notice: id(), audience: audience(), author: id(), title: sealed(), text: sealed(), publishAt: time()))
        case 53: .noticeWithdrawn(.init(notice: id(), author: id()))
        case 54: .noticeLapsed(.init(notice: id(), author: id(), dueAt: time()))
        case 26: .noticeRead(.init(notice: id(), account: id()))
        case 27: .feedbackGiven(.init(author: id(), text: sealed()))
        case 28: .favoriteAdded(.init(account: id(), campaign: id()))
        case 33: .staffInvited(.init(invitation: id(), shop: id(), account: id(), expiresAt: time(), role: role()))
        case 34: .invitationEnded(.init(invitation: id(), shop: id(), account: id()))
        case 35: .staffJoined(.init(invitation: id(), shop: id(), account: id(), role: role()))
        case 36: .employmentEnded(.init(shop: id(), account: id()))
        case 37: .shopMuted(.init(shop: id(), account: id()))
        case 38: .shopUnmuted(.init(shop: id(), account: id()))
        case 39: .shopClosed(.init(shop: id(), redeemUntil: time(), erasesContact: flip(), reason: flip() ? sealed() : nil))
        case 41: .campaignReopened(.init(campaign: id(), shop: id(), endsAt: time()))
        case 42: stampReversed()
        case 55: .cardExpired(.init(card: id(), campaign: id(), shop: id(), holder: id(), dueAt: time()))
        case 66: waitingCardTaken()
        case 56:
            .cardReminded(
                .init(card: id(), campaign: id(), shop: id(), holder: id(), notice: id(), daysLeft: flip() ? 14 : 2, dueAt: time()))
        case 61...63: milestoneEvent(index)
        case 43: .roleChanged(.init(shop: id(), account: id(), invitation: flip() ? id() : nil, role: role()))
        case 44, 45, 65, 67, 68: transferEvent(index)
        case 46...51: accountEvent(index)
        case 57...60: paperEvent(index)
        case 69...73: searchEvent(index)
        case 40: .imageTakenDown(.init(image: id(), byOperator: flip()))
        default: .favoriteRemoved(.init(account: id(), campaign: id()))
        }
    }

    private mutating func searchEvent(_ index: Int) -> LoyaltyEvent {
        switch index {
        case 69: .searchSaved(.init(search: id(), account: id(), terms: sealed(), alerts: flip()))
        case 70: .searchEdited(.init(search: id(), account: id(), terms: sealed(), alerts: flip()))
        case 71: .searchRemoved(.init(search: id(), account: id()))
        case 72: .searchSeen(.init(search: id(), account: id()))
        default:
            .searchAlerted(
                .init(
                    search: id(), account: id(), notice: id(), dueAt: time(), through: .init(UInt64(int(1...1_000_000))),
                    campaigns: .init((0..<int(1...20)).map { _ in id() }), hasMore: flip()))
        }
    }

    private mutating func waitingCardTaken() -> LoyaltyEvent {
        .waitingCardTaken(
            .init(
                card: id(), campaign: id(), shop: id(), holder: id(), from: flip() ? id() : nil, goal: int(1...50), stamps: int(0...50),
                moved: int(0...50), onto: flip() ? id() : nil, codes: int(0...1_000), worth: int(0...50)))
    }

    private mutating func stampReversed() -> LoyaltyEvent {
        .stampReversed(
            .init(
                card: id(), code: id(), campaign: id(), shop: id(), home: home(), holder: id(), stamps: int(1...50), reason: typed(),
                left: int(0...60)))
    }

    private mutating func transferEvent(_ index: Int) -> LoyaltyEvent {
        switch index {
        case 44: .transferOffered(.init(invitation: id(), shop: id(), account: id(), expiresAt: time()))
        case 45: .shopTransferred(.init(invitation: id(), shop: id(), account: id(), formerOwner: id()))
        case 67: .staffLabeled(.init(shop: id(), account: id(), label: typed()))
        case 68: .waitingOfferTaken(.init(invitation: id(), shop: id(), account: id()))
        default: .transferLapsed(.init(invitation: id(), shop: id(), account: id(), dueAt: time()))
        }
    }

    private mutating func milestoneEvent(_ index: Int) -> LoyaltyEvent {
        switch index {
        case 61:
            .milestoneRequested(
                .init(
                    redemption: id(), card: id(), campaign: id(), shop: id(), holder: id(), secret: secret(), milestone: int(1...49),
                    attempt: int(0...255), expiresAt: time()))
        case 62:
            .milestoneRedeemed(
                .init(redemption: id(), card: id(), campaign: id(), shop: id(), home: home(), holder: id(), milestone: int(1...49)))
        default:
            .milestoneReversed(
                .init(
                    redemption: id(), card: id(), campaign: id(), shop: id(), home: home(), holder: id(), milestone: int(1...49),
                    reason: typed()))
        }
    }

    private mutating func accountEvent(_ index: Int) -> LoyaltyEvent {
        switch index {
        case 46: .phoneChanged(.init(account: id(), sealedPhone: sealed()))
        case 47: .phoneChangeRequested(.init(account: id(), sealedPhone: sealed(), reason: typed(), holdsAt: time()))
        case 48: .phoneChangeEnded(.init(account: id()))
        case 49: .accountSuspended(.init(account: id(), reason: typed()))
        case 50: .accountReinstated(.init(account: id(), reason: typed()))
        default: .accountSearched(.init(account: flip() ? id() : nil, shop: flip() ? id() : nil))
        }
    }

    private mutating func paperEvent(_ index: Int) -> LoyaltyEvent {
        switch index {
        case 57:
            .paperCardsPrinted(
                .init(print: id(), campaign: id(), shop: id(), secret: secret(), attempt: int(0...255), count: int(1...500)))
        case 58: .paperStamped(.init(paper: paper(), code: id(), campaign: id(), shop: id(), home: home(), stamps: int(1...10)))
        case 59: .paperCardTaken(.init(paper: paper(), campaign: id(), shop: id(), holder: id(), stamps: int(0...50)))
        default:
            .paperStampReversed(
                .init(paper: paper(), code: id(), campaign: id(), shop: id(), home: home(), stamps: int(1...10), reason: typed()))
        }
    }

    private mutating func paper() -> PaperName { PaperName(print: id(), number: int(0...499)) }

    private mutating func role() -> Role { flip() ? .counter : .manager }

    mutating func mark() -> RequestMark? {
        flip() ? RequestMark(request: number(), digest: number()) : nil
    }

    mutating func id<Noun>() -> ID<Noun> { ID(number()) }

    mutating func time() -> Instant {
        Instant(microseconds: flip() ? Int64.random(in: .min ... .max, using: &random) : int(0...2_000_000_000) * 1_000_000)
    }

    mutating func number() -> UInt128 {
        flip(8) ? [0, 1, UInt128.max].randomElement(using: &random)! : UInt128(random.next()) << 64 | UInt128(random.next())
    }

    private mutating func profileChange() -> ProfileChange {
        ProfileChange(nickname: change(), avatar: change(), gender: change(), birthday: change(), city: change())
    }

    private mutating func change() -> FieldChange<Sealed> {
        flip() ? .unchanged : flip() ? .cleared : .set(sealed())
    }

    private mutating func shopOpened() -> ShopOpened {
        ShopOpened(shop: id(), owner: id(), contact: contact(), images: images(), schedule: schedule())
    }

    private mutating func shopEdited() -> ShopEdited {
        let images = images()
        let logo: ImageID? = flip() ? nil : flip(4) ? images.first : id()
        let look = ShopLook(color: ShopColor(rawValue: UInt8(int(0...12))), logo: logo)
        return ShopEdited(shop: id(), contact: contact(), images: images, schedule: schedule(), look: look)
    }

    private mutating func schedule() -> ShopSchedule {
        guard flip() else { return ShopSchedule() }
        let hours = (0..<int(0...21)).map { _ in
            OpeningHours(days: UInt8(int(1...127)), fromMinute: int(0...1_439), toMinute: int(1...1_440))
        }
        return ShopSchedule(timeZone: flip() ? "Asia/Shanghai" : "Etc/UTC", openingHours: flip() ? hours : nil)
    }

    private mutating func contact() -> HeldContact {
        guard flip() else { return .sealed(sealed()) }
        return .clear(ShopContact(name: text(), phone: text(), address: text(), location: place()))
    }

    private mutating func typed() -> TypedText { flip() ? .clear(text()) : .sealed(sealed()) }

    private mutating func place() -> Coordinate {
        Coordinate(
            latitude: Double.random(in: -90...90, using: &random), longitude: Double.random(in: -180...180, using: &random))
    }

    /// Distinct ids in random order.
    private mutating func images() -> [ImageID] {
        var images: Set<ImageID> = []
        for _ in 0..<int(0...9) { images.insert(id()) }
        return images.shuffled(using: &random)
    }

    private mutating func campaignPublished() -> CampaignPublished {
        CampaignPublished(
            campaign: id(), shop: id(), kind: flip() ? .stampCard : flip() ? .promotion : .coupon,
            terms: CampaignTerms(
                title: typed(), details: typed(), goal: int(0...50), reward: typed(), startsAt: time(), endsAt: time(),
                image: flip() ? id() : nil, caps: caps(), options: flip() ? options() : .none))
    }

    private mutating func campaignEdited() -> CampaignEdited {
        CampaignEdited(
            campaign: id(), shop: id(),
            terms: CampaignTerms(
                title: typed(), details: typed(), goal: int(0...50), reward: typed(), startsAt: time(), endsAt: time(),
                image: flip() ? id() : nil, caps: caps(), options: flip() ? options() : .none))
    }

    private mutating func options() -> CampaignOptions {
        CampaignOptions(
            repeats: flip() ? int(1...100) : nil, welcomeStamps: flip() ? int(1...10) : nil, redeemUntil: flip() ? time() : nil,
            cardValidDays: flip() ? int(1...1_827) : nil,
            bonuses: (0..<int(0...21)).map { _ in
                BonusHours(
                    days: Weekdays(rawValue: int(1...0x7F)), fromMinute: int(0...1_439), toMinute: int(1...1_440), factor: int(2...5))
            }, milestones: milestones(), shops: shops())
    }

    /// Milestones in ascending order.
    private mutating func milestones() -> [Milestone] {
        guard flip() else { return [] }
        let stamps = Set((0..<int(0...10)).map { _ in int(1...49) }).sorted()
        return stamps.map { Milestone(at: $0, reward: typed()) }
    }

    /// Shops in ascending order, without duplicates.
    private mutating func shops() -> [ShopID] {
        guard flip() else { return [] }
        return Set((0..<int(0...50)).map { _ in id() }).sorted()
    }

    private mutating func home() -> ShopID? { flip() ? ShopID(number() ^ 0x5A5A) : nil }

    private mutating func caps() -> StampCaps {
        StampCaps(stampsPerDayMax: flip() ? int(1...50) : nil, minimumGapSeconds: flip() ? int(1...86_400) : nil)
    }

    private mutating func cardAdjusted() -> CardAdjusted {
        let stamps = flip() ? int(1...50) : int(-50 ... -1)
        return CardAdjusted(card: id(), campaign: id(), shop: id(), holder: id(), stamps: stamps, reason: typed())
    }

    private mutating func codeIssued() -> CodeIssued {
        CodeIssued(
            code: id(), campaign: id(), shop: id(), home: home(), secret: secret(), attempt: int(0...255), stamps: int(1...10),
            expiresAt: time())
    }

    private mutating func cardOpened() -> CardOpened {
        CardOpened(
            card: id(), campaign: id(), shop: id(), home: home(), holder: id(), goal: int(0...50), reward: typed(),
            terms: CardTerms(
                expiresAt: flip() ? time() : nil, redeemUntil: flip() ? time() : nil, milestones: milestones()))
    }

    private mutating func cardStamped() -> CardStamped {
        let stamps: Int = flip() ? 1 : int(1...10)
        let (more, worth): (Int, Int) = (int(1...50), int(0...10))
        let isOwn = flip()
        return CardStamped(
            card: id(), code: id(), campaign: id(), shop: id(), home: home(), holder: id(), stamps: isOwn ? stamps : more,
            worth: isOwn ? stamps : worth)
    }

    private mutating func redemptionRequested() -> RedemptionRequested {
        RedemptionRequested(
            redemption: id(), card: id(), campaign: id(), shop: id(), holder: id(), secret: secret(), attempt: int(0...255),
            expiresAt: time())
    }

    private mutating func reviewPosted() -> ReviewPosted {
        ReviewPosted(review: id(), shop: id(), author: id(), rating: flip() ? int(1...5) : nil, text: flip() ? sealed() : nil)
    }

    private mutating func replyPosted() -> ReplyPosted {
        ReplyPosted(reply: id(), parent: id(), thread: id(), shop: id(), author: id(), depth: int(1...8), text: sealed())
    }

    /// A random audience. Ids of shops are odd, because no shop has the id 0.
    private mutating func audience() -> NoticeAudience {
        if flip() { return .all }
        let shop = ShopID(number() | 1)
        return flip() ? .shop(shop) : .holders(id(), of: shop)
    }

    private mutating func flip(_ sides: Int = 2) -> Bool { Int.random(in: 0..<sides, using: &random) == 0 }
    private mutating func secret() -> Secret { Secret(number()) }

    private mutating func int<I: FixedWidthInteger>(_ range: ClosedRange<I>) -> I { I.random(in: range, using: &random) }

    private mutating func sealed() -> Sealed {
        Sealed((0..<int(1...200)).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    private mutating func text() -> String {
        let words = ["", "茶", "Matcha 抹茶", "crème brûlée", "🧋", "\"quoted\"\n", "x"]
        return (0..<int(0...6)).map { _ in words.randomElement(using: &random)! }.joined(separator: " ")
    }
}
