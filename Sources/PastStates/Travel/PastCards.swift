internal import Loyalty
internal import LoyaltyCodec

/// Cards in the order in which they were opened, computed from their events.
struct PastCards {
    private(set) var cards: [Card] = []
    private var places: [CardID: Int] = [:]

    mutating func apply(_ fact: Fact) {
        guard let id = fact.event.card else { return }
        if let place = places[id] {
            cards[place].evolve(fact)
        } else if let card = Card(opening: fact) {
            places[id] = cards.count
            cards.append(card)
        }
    }
}

extension Card {
    /// All fields of a card.
    var pastFields: [PastField] {
        [
            .id("card", id), PastField("state", .word("\(status)")), .number("stamps", stamps), .number("goal", goal),
            .typed("reward", reward), .id("account", holder), .id("campaign", campaign), .id("shop", shop),
            .time("opened", openedAt), PastField("redemption", newestRedemption.map { .word($0.text) } ?? .none),
            .time("expiresAt", terms.expiresAt), .time("redeemUntil", terms.redeemUntil),
            PastField("milestones", terms.milestones.pastValue),
            PastField("history", .list(history.map { .record(Self.fields(of: $0)) })),
        ]
    }

    /// The fields of the card that are shown in a list of cards.
    var pastSummary: PastValue {
        .record([
            .id("card", id), PastField("state", .word("\(status)")), .number("stamps", stamps), .number("goal", goal),
            .id("campaign", campaign), .id("shop", shop), .time("opened", openedAt),
        ])
    }

    private static func fields(of entry: Loyalty.CardEntry) -> [PastField] {
        [
            .number("position", Int(clamping: entry.position)), .time("time", entry.at), PastField("what", .word("\(entry.kind)")),
            .number("stamps", entry.stamps),
        ] + (entry.milestone.map { [.number("milestone", $0)] } ?? [])
    }
}

extension [Milestone] {
    /// The milestones, each with its stamps and its reward.
    fileprivate var pastValue: PastValue {
        isEmpty ? .none : .list(map { .record([.number("at", $0.at), .typed("reward", $0.reward)]) })
    }
}

/// A campaign and its cards, computed from the events with the campaign's tag.
struct PastCampaign {
    private let id: CampaignID
    private(set) var campaign: Campaign?
    private var cards = PastCards()

    init(_ id: CampaignID) { self.id = id }

    mutating func apply(_ fact: Fact) {
        if fact.event.card != nil { return cards.apply(fact) }
        if let published = Campaign(opening: fact), published.id == id { campaign = published } else { campaign?.evolve(fact) }
    }

    func fields(at clock: Instant) -> [PastField]? {
        guard let campaign else { return nil }
        let counts = CardStatus.allCases.map { status in
            PastField.number("\(status)", cards.cards.count { $0.status == status })
        }
        return [
            .id("campaign", campaign.id), .id("shop", campaign.shop), PastField("kind", .word("\(campaign.kind)")),
            .typed("title", campaign.title), .typed("details", campaign.details), .number("goal", campaign.goal),
            .typed("reward", campaign.reward), .time("starts", campaign.startsAt), .time("ends", campaign.endsAt),
            .time("ended", campaign.endedAt), PastField("running", .flag(campaign.isRunning(at: clock))),
            PastField("image", campaign.image.map { .word($0.text) } ?? .none),
            .number("stampsPerDayMax", campaign.caps.stampsPerDayMax), .number("minimumGapSeconds", campaign.caps.minimumGapSeconds),
            .number("repeats", campaign.options.repeats), .number("welcomeStamps", campaign.options.welcomeStamps),
            .time("redeemUntil", campaign.options.redeemUntil), .number("cardValidDays", campaign.options.cardValidDays),
            PastField("bonuses", campaign.options.bonuses.isEmpty ? .none : .list(campaign.options.bonuses.map { .word($0.text) })),
            PastField("milestones", campaign.options.milestones.pastValue),
            PastField("shops", campaign.options.shops.isEmpty ? .none : .list(campaign.options.shops.map { .word($0.text) })),
            .number("version", Int(clamping: campaign.version)), PastField("cards", .record(counts)),
        ]
    }
}

/// An account, its shops and its cards. It is computed from the events with the account's tag, and from the transfers of its shops to other
/// accounts. Sealed data stays sealed.
struct PastAccount {
    private let id: AccountID
    private(set) var account: Account?
    private var owned: [ShopID] = []
    private var employers: Set<ShopID> = []
    private var cards = PastCards()

    init(_ id: AccountID) { self.id = id }

    mutating func apply(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event) where event.account == id: account = Account(opening: fact)
        case .shopOpened(let event) where event.owner == id: owned.append(event.shop)
        case .staffAdded(let event) where event.account == id: employers.insert(event.shop)
        case .staffRemoved(let event) where event.account == id: employers.remove(event.shop)
        case .staffJoined(let event) where event.account == id: employers.insert(event.shop)
        case .employmentEnded(let event) where event.account == id: employers.remove(event.shop)
        case .shopTransferred(let event) where event.formerOwner == id: owned.removeAll { $0 == event.shop }
        case .shopTransferred(let event) where event.account == id:
            owned.append(event.shop)
            employers.remove(event.shop)
        case _ where fact.event.holder == id: cards.apply(fact)
        default: account?.evolve(fact)
        }
    }

    /// Applies an event of a card from before the account took it over.
    mutating func inherit(_ fact: Fact) { cards.apply(fact) }

    var fields: [PastField]? {
        guard let account else { return nil }
        let profile = account.profile
        return [
            .id("account", account.id), .time("registered", account.registeredAt), PastField("erased", .flag(account.isErased)),
            .sealed("phone", true), .sealed("nickname", profile.nickname != nil), .sealed("avatar", profile.avatar != nil),
            .sealed("gender", profile.gender != nil), .sealed("birthday", profile.birthday != nil),
            .sealed("city", profile.city != nil), .sealed("password", account.password != nil),
            .number("version", Int(clamping: account.version)), .ids("owns", owned), .ids("worksFor", employers.sorted()),
            PastField("cards", .list(cards.cards.map(\.pastSummary))),
        ]
    }
}
