import EventLog
import Histories
import Loyalty
import Seeds
import Testing
import World

/// A legal history with every event type: a random history of the counter, plus commands that the random history never or rarely contains.
enum FixtureStory {
    /// A history with sealed contact data, sealed campaigns and sealed reasons, and a shop that closes because its owner is erased.
    static func sealedFacts() -> [Fact] {
        var story = told()
        story.sealedShop()
        return story.history.facts
    }

    private static func told() -> Story {
        var story = Story(history: RandomHistory(random: SeededRandom(seed: 20_261_121), shops: 3, customers: 20, roles: false))
        story.history.grow(to: 350)
        for customer in story.history.customers.prefix(2) { story.person(customer) }
        story.counter()
        story.sealedReasons()
        story.office()
        story.history.grow(to: 600)
        story.run(.eraseAccount(EraseAccount()), by: story.history.customers[1])
        return story
    }

    /// Reversed stamps on one card and on two cards, and a reopened campaign.
    static func corrections() -> [Fact] {
        var story = Story(history: RandomHistory(random: SeededRandom(seed: 20_261_124), shops: 2, customers: 5, roles: false))
        story.history.grow(to: 200)
        story.corrections()
        story.history.grow(to: 300)
        return story.history.facts
    }

    /// Staff roles: offered, raised and lowered.
    static func roles() -> [Fact] {
        var story = Story(history: RandomHistory(random: SeededRandom(seed: 20_261_125), shops: 1, customers: 3))
        story.roles()
        return story.history.facts
    }

    /// An owner of two shops with schedules; one shop is transferred to another owner.
    static func shops() -> [Fact] {
        var story = Story(history: RandomHistory(random: SeededRandom(seed: 20_261_126), shops: 1, customers: 3))
        story.shops()
        story.history.grow(to: 60)
        return story.history.facts
    }

    /// A campaign with every option, cards that keep its terms, and additional and reversed stamps.
    static func terms() -> [Fact] {
        var story = Story(history: RandomHistory(random: SeededRandom(seed: 20_261_125), shops: 1, customers: 4))
        story.history.grow(to: 100)
        story.terms()
        return story.history.facts
    }

    /// Accounts whose phone numbers change, and accounts that are suspended, reinstated and found by operators.
    static func people() -> [Fact] {
        var story = Story(history: RandomHistory(random: SeededRandom(seed: 20_261_125), shops: 1, customers: 3))
        let (first, second, officer) = (story.history.customers[0], story.history.customers[1], story.history.customers[2])
        let session = SessionID(story.history.id())
        let end = story.history.now.advanced(bySeconds: 86_400)
        story.signIn(session, token: Secret(story.history.id()), until: end, by: first)
        story.run(.changePhone(ChangePhone(sealedPhone: Sealed([4]), replacing: Sealed([1, 2, 3]), keeping: session)), by: first)
        story.run(.requestPhoneChange(RequestPhoneChange(account: second, sealedPhone: Sealed([5]), reason: "Lost")), by: officer)
        story.run(.objectToPhoneChange(ObjectToPhoneChange()), by: second)
        let sealed = TypedText.sealed(Sealed([1, 2, 3]))
        story.run(.requestPhoneChange(RequestPhoneChange(account: second, sealedPhone: Sealed([6]), reason: sealed)), by: officer)
        story.run(.suspendAccount(SuspendAccount(account: first, reason: sealed)), by: officer)
        story.run(.reinstateAccount(ReinstateAccount(account: first, reason: "")), by: officer)
        story.run(.noteSearch(NoteSearch(found: second)), by: officer)
        story.run(.noteSearch(NoteSearch(found: nil)), by: officer)
        story.history.pass(seconds: 72 * 3_600)
        story.run(.completePhoneChange(CompletePhoneChange()), by: second)
        return story.history.facts
    }

    /// An account that sets, replaces and removes a password.
    static func passwords() -> [Fact] {
        var story = Story(history: RandomHistory(random: SeededRandom(seed: 20_261_123), shops: 1, customers: 2, roles: false))
        let customer = story.history.customers[0]
        let set = SetPassword(sealedHash: Sealed([1, 2, 3]), replacing: nil, keeping: nil)
        story.run(.setPassword(set), by: customer)
        story.run(.removePassword(RemovePassword()), by: customer)
        story.run(.setPassword(set), by: customer)
        return story.history.facts
    }
}

/// A history extended by commands, none of which may be refused.
private struct Story {
    var history: RandomHistory

    mutating func run(_ command: Command, by actor: AccountID) {
        if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
    }

    /// Signs in with the number that the random history gives to all customers.
    mutating func signIn(_ session: SessionID, token: Secret, until end: Instant, by customer: AccountID) {
        let start = StartSession(session: session, token: token, expiresAt: end, phone: Sealed([1, 2, 3]), password: nil)
        run(.startSession(start), by: customer)
    }

    mutating func person(_ customer: AccountID) {
        let (session, other) = (SessionID(history.id()), SessionID(history.id()))
        let (token, next) = (Secret(history.id()), Secret(history.id()))
        let end = history.now.advanced(bySeconds: 86_400)
        signIn(session, token: token, until: end, by: customer)
        signIn(other, token: Secret(history.id()), until: end, by: customer)
        let refresh = RefreshSession(session: session, presented: token, next: next, expiresAt: end)
        run(.refreshSession(refresh), by: customer)
        // The same refresh token is presented a second time. The service takes it for stolen and ends the session.
        run(.refreshSession(refresh), by: customer)
        run(.endSession(EndSession(session: other)), by: customer)
        let sealed = Sealed([1, 2, 3])
        let change = ProfileChange(nickname: .set(sealed), avatar: .set(sealed), gender: .set(sealed), birthday: .set(sealed))
        run(.editProfile(EditProfile(change: change)), by: customer)
        run(.editProfile(EditProfile(change: ProfileChange(gender: .cleared, city: .set(sealed)))), by: customer)
        run(.setPassword(SetPassword(sealedHash: sealed, replacing: nil, keeping: nil)), by: customer)
        run(.giveFeedback(GiveFeedback(text: sealed)), by: customer)
    }

    mutating func counter() {
        let (owner, shop) = (AccountID(history.id()), ShopID(history.id()))
        let images = [ImageID(history.id()), ImageID(history.id())]
        let register = RegisterAccount(account: owner, phone: Secret(history.id()), sealedPhone: Sealed([9]))
        run(.registerAccount(register), by: owner)
        let place = Coordinate(latitude: -33.86, longitude: 151.2)
        let open = OpenShop(
            shop: shop, name: "Tea, \"green\" and black", phone: "+86 21 5555", address: "2 Tea Road", location: place, images: images)
        run(.openShop(open), by: owner)
        let (card, offer, code) = (CampaignID(history.id()), CampaignID(history.id()), CodeID(history.id()))
        let (start, end) = (history.now, history.now.advanced(bySeconds: 86_400 * 30))
        let capped = PublishCampaign(
            campaign: card, shop: shop, kind: .stampCard,
            terms: CampaignTerms(
                title: "Four", details: "", goal: 4, reward: "Tea", startsAt: start, endsAt: end, image: images[0],
                caps: StampCaps(stampsPerDayMax: 3, minimumGapSeconds: 60)))
        let promotion = PublishCampaign(
            campaign: offer, shop: shop, kind: .promotion,
            terms: CampaignTerms(
                title: "新品", details: "New", goal: 0, reward: "", startsAt: start, endsAt: end))
        run(.publishCampaign(capped), by: owner)
        run(.publishCampaign(promotion), by: owner)
        run(.endCampaign(EndCampaign(campaign: offer)), by: owner)
        let issue = IssueCode(code: code, campaign: card, secret: Secret(history.id()), attempt: 1, stamps: 1, validFor: 600)
        run(.issueCode(issue), by: owner)
        run(.destroyCode(DestroyCode(code: code)), by: owner)
        for customer in history.customers.prefix(2) { run(.addFavorite(AddFavorite(campaign: card)), by: customer) }
        run(.removeFavorite(RemoveFavorite(campaign: card)), by: history.customers[0])
        run(.editShop(EditShop(shop: shop, expected: .any, name: "Tea", images: [images[1], images[0]])), by: owner)
        run(.editCampaign(EditCampaign(campaign: card, expected: .any, title: "Five", goal: 5)), by: owner)
        let invitation = InvitationID(history.id())
        run(.inviteStaff(InviteStaff(invitation: invitation, shop: shop, account: history.customers[2])), by: owner)
        run(.acceptInvitation(AcceptInvitation(invitation: invitation)), by: history.customers[2])
        run(.removeStaff(RemoveStaff(shop: shop, account: history.customers[2])), by: owner)
    }

    mutating func office() {
        let (office, shop) = (history.owners[0], history.shops[1])
        run(.suspendShop(SuspendShop(shop: shop, reason: "Sells stamps")), by: office)
        run(.reinstateShop(ReinstateShop(shop: shop, reason: "")), by: office)
        for _ in 0..<2 {
            let redeemed = history.world.redemptions.values.filter { $0.isRedeemed && !$0.isReversed }.min { $0.id < $1.id }
            guard let redeemed, let owner = history.world.shops[redeemed.shop]?.owner else { return }
            run(.reverseRedemption(ReverseRedemption(redemption: redeemed.id, reason: "Wrong card")), by: owner)
        }
        // Adjusts one full card and one collecting card. For each status, the first card that accepts the adjustment is used.
        for status in [CardStatus.full, .collecting] {
            let cards = history.world.cards.values.filter { $0.status == status }.sorted { $0.id < $1.id }
            let isAdjusted = cards.contains { card in
                let adjust = AdjustCard(card: card.id, expected: .any, stamps: -1, reason: "Miscounted")
                return !history.run(.adjustCard(adjust), by: office).isEmpty
            }
            if !isAdjusted { Issue.record("no \(status) card takes an adjustment") }
        }
    }

    mutating func corrections() {
        let (owner, shop) = (AccountID(history.id()), ShopID(history.id()))
        run(.registerAccount(RegisterAccount(account: owner, phone: Secret(history.id()), sealedPhone: Sealed([9]))), by: owner)
        let place = Coordinate(latitude: 31, longitude: 121)
        run(.openShop(OpenShop(shop: shop, name: "Tea", phone: "+86 21 5555", address: "4 Tea Road", location: place)), by: owner)
        let campaign = CampaignID(history.id())
        let terms = CampaignTerms<String>(
            title: "Four", details: "", goal: 4, reward: "Tea", startsAt: history.now, endsAt: history.now.advanced(bySeconds: 86_400 * 30))
        run(.publishCampaign(PublishCampaign(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)), by: owner)
        for (stamps, reason) in [(3, TypedText.clear("Refunded")), (2, .clear("退款")), (7, .sealed(Sealed([8])))] {
            let (code, secret) = (CodeID(history.id()), Secret(history.id()))
            run(.issueCode(IssueCode(code: code, campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600)), by: owner)
            run(.stamp(Stamp(secret: secret, campaign: nil, firstCard: CardID(history.id()))), by: history.customers[0])
            // The stamps of the second code are not reversed.
            if stamps != 2 { run(.reverseStamp(ReverseStamp(code: code, reason: reason)), by: owner) }
        }
        run(.endCampaign(EndCampaign(campaign: campaign)), by: owner)
        run(.reopenCampaign(ReopenCampaign(campaign: campaign)), by: owner)
        run(.closeShop(CloseShop(shop: shop, redeemUntil: history.now, reason: .sealed(Sealed([9])))), by: owner)
    }

    mutating func roles() {
        let (owner, shop, member) = (history.owners[0], history.shops[0], history.customers[0])
        for role in [Role.counter, .manager] {
            let invitation = InvitationID(history.id())
            run(.inviteStaff(InviteStaff(invitation: invitation, shop: shop, account: member, role: role)), by: owner)
            run(.acceptInvitation(AcceptInvitation(invitation: invitation)), by: member)
        }
        let lower = InviteStaff(invitation: InvitationID(history.id()), shop: shop, account: member, role: .counter)
        run(.inviteStaff(lower), by: owner)
        let (invitation, other) = (InvitationID(history.id()), history.customers[1])
        run(.inviteStaff(InviteStaff(invitation: invitation, shop: shop, account: other, role: .manager)), by: owner)
        run(.acceptInvitation(AcceptInvitation(invitation: invitation)), by: other)
    }

    mutating func shops() {
        let (owner, taker, shop) = (history.owners[0], history.customers[0], ShopID(history.id()))
        let hours = [OpeningHours(days: 31, fromMinute: 480, toMinute: 1_320), OpeningHours(days: 96, fromMinute: 600, toMinute: 120)]
        let open = OpenShop(
            shop: shop, name: "Second", phone: "+86 21 5556", address: "5 Tea Road", location: Coordinate(latitude: 31, longitude: 121),
            schedule: ShopSchedule(timeZone: "Asia/Shanghai", openingHours: hours))
        run(.openShop(open), by: owner)
        run(.editShop(EditShop(shop: shop, expected: .any, timeZone: "Asia/Tokyo", openingHours: .set([]))), by: owner)
        run(.editShop(EditShop(shop: shop, expected: .any, openingHours: .removed)), by: owner)
        for account in [history.customers[1], taker] {
            run(.offerTransfer(OfferTransfer(invitation: InvitationID(history.id()), shop: shop, account: account)), by: owner)
        }
        guard let offer = history.world.shops[shop]?.transfer else {
            Issue.record("the story has no offer")
            return
        }
        run(.acceptInvitation(AcceptInvitation(invitation: offer.invitation)), by: taker)
    }

    mutating func terms() {
        let (owner, shop) = (AccountID(history.id()), ShopID(history.id()))
        run(.registerAccount(RegisterAccount(account: owner, phone: Secret(history.id()), sealedPhone: Sealed([9]))), by: owner)
        let place = Coordinate(latitude: 31, longitude: 121)
        run(.openShop(OpenShop(shop: shop, name: "Tea", phone: "+86 21 5555", address: "5 Tea Road", location: place)), by: owner)
        let campaign = CampaignID(history.id())
        let end = history.now.advanced(bySeconds: 86_400 * 30)
        let options = CampaignOptions(
            repeats: 1, welcomeStamps: 2, redeemUntil: end.advanced(bySeconds: 86_400), cardValidDays: 90,
            bonuses: [BonusHours(days: .all, fromMinute: 1_320, toMinute: 60, factor: 2)])
        let terms = CampaignTerms<String>(
            title: "Four", details: "", goal: 4, reward: "Tea", startsAt: history.now, endsAt: end, options: options)
        run(.publishCampaign(PublishCampaign(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)), by: owner)
        for (stamps, isKept) in [(1, false), (1, true), (9, true)] {
            let (code, secret) = (CodeID(history.id()), Secret(history.id()))
            run(.issueCode(IssueCode(code: code, campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600)), by: owner)
            run(.stamp(Stamp(secret: secret, campaign: nil, firstCard: CardID(history.id()))), by: history.customers[0])
            if !isKept { run(.reverseStamp(ReverseStamp(code: code, reason: "Refunded")), by: owner) }
        }
        var changes = CampaignOptionChanges()
        (changes.repeats, changes.bonuses) = (.removed, .removed)
        run(.editCampaign(EditCampaign(campaign: campaign, expected: .any, options: changes)), by: owner)
    }

    mutating func sealedShop() {
        let (owner, shop) = (AccountID(history.id()), ShopID(history.id()))
        run(.registerAccount(RegisterAccount(account: owner, phone: Secret(history.id()), sealedPhone: Sealed([9]))), by: owner)
        let open = OpenShop(
            shop: shop, name: "Tea", phone: "+86 21 5555", address: "3 Tea Road", location: Coordinate(latitude: 31, longitude: 121),
            sealed: Sealed([1, 2, 3]))
        run(.openShop(open), by: owner)
        let resealed = ResealedContact(contact: Sealed([4, 5]), basis: history.world.shops[shop]?.version ?? 0)
        run(.editShop(EditShop(shop: shop, expected: .any, name: "More tea", resealed: resealed)), by: owner)
        sealedCampaign(of: shop, by: owner)
        run(.suspendShop(SuspendShop(shop: shop, reason: .sealed(Sealed([6])))), by: history.owners[0])
        run(.reinstateShop(ReinstateShop(shop: shop, reason: .sealed(Sealed([7])))), by: history.owners[0])
        run(.eraseAccount(EraseAccount()), by: owner)
    }

    /// Publishes a campaign, opens a card for it, and edits it afterwards.
    private mutating func sealedCampaign(of shop: ShopID, by owner: AccountID) {
        let (campaign, code) = (CampaignID(history.id()), CodeID(history.id()))
        let (start, end) = (history.now, history.now.advanced(bySeconds: 86_400 * 30))
        let texts = CampaignTexts(title: .sealed(Sealed([10])), details: .sealed(Sealed([11])), reward: .sealed(Sealed([12])))
        let publish = PublishCampaign(
            campaign: campaign, shop: shop, kind: .stampCard,
            terms: CampaignTerms(
                title: "Four", details: "Any tea", goal: 4, reward: "Tea", startsAt: start, endsAt: end), sealed: texts)
        run(.publishCampaign(publish), by: owner)
        let secret = Secret(history.id())
        run(.issueCode(IssueCode(code: code, campaign: campaign, secret: secret, attempt: 1, stamps: 1, validFor: 600)), by: owner)
        run(.stamp(Stamp(secret: secret, campaign: nil, firstCard: CardID(history.id()))), by: history.customers[2])
        let resealed = ResealedTexts(
            title: .sealed(Sealed([13])), details: nil, reward: nil, basis: history.world.campaigns[campaign]?.version ?? 0)
        run(.editCampaign(EditCampaign(campaign: campaign, expected: .any, title: "Five", goal: 5, resealed: resealed)), by: owner)
    }

    mutating func sealedReasons() {
        let office = history.owners[0]
        let cards = history.world.cards.values.filter { $0.status == .collecting }.sorted { $0.id < $1.id }
        let isAdjusted = cards.contains { card in
            let adjust = AdjustCard(card: card.id, expected: .any, stamps: -1, reason: .sealed(Sealed([8])))
            return !history.run(.adjustCard(adjust), by: office).isEmpty
        }
        // The newest redemptions are tried first, so that the oldest stay available to other commands.
        let redemptions = history.world.redemptions.values.sorted { $0.id > $1.id }
        let isReversed = redemptions.contains { redemption in
            guard let owner = history.world.shops[redemption.shop]?.owner else { return false }
            let reverse = ReverseRedemption(redemption: redemption.id, reason: .sealed(Sealed([9])))
            return !history.run(.reverseRedemption(reverse), by: owner).isEmpty
        }
        if !isAdjusted || !isReversed { Issue.record("nothing takes a sealed reason") }
    }
}
