internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

struct LiveCampaign {
    let shop: ShopID
    let kind: CampaignKind
    var terms: CampaignTerms<TypedText>
    /// Nil again after a reopening.
    var endedAt: Instant?

    var isEnded: Bool { endedAt != nil }
    var isStampCard: Bool { kind == .stampCard }

    func isRunning(at time: Instant) -> Bool { !isEnded && terms.startsAt <= time && time < terms.endsAt }

    /// Whether an account can still take a paper card: until full cards can no longer be redeemed.
    func givesWhatWaits(at time: Instant) -> Bool {
        isRunning(at: time) || terms.startsAt <= time && (terms.options.redeemUntil.map { time < $0 } ?? true)
    }
}

struct LiveShops {
    var owners: [ShopID: AccountID] = [:]
    var staff: [ShopID: Set<AccountID>] = [:]
    var managers: [ShopID: Set<AccountID>] = [:]
    /// Those of each owner that have not closed.
    var open: [AccountID: Set<ShopID>] = [:]
    var suspended: Set<ShopID> = []
    /// The moments until which closed shops may hand out rewards.
    var closed: [ShopID: Instant] = [:]
    var invitations: [ShopID: [AccountID: LiveOffer]] = [:]
    /// Unanswered offers whose lapse was not recorded.
    var transfers: [ShopID: TransferOffered] = [:]
    var employmentEnds = Recent<StaffPlace, EmploymentEnd>()
    /// Time zones other than the default one.
    var zones: [ShopID: String] = [:]
    var calendars: [String: Calendar] = [:]

    func employs(_ shop: ShopID, _ account: AccountID) -> Bool { owners[shop] == account || staff[shop]?.contains(account) == true }
}

extension RuleBook {
    mutating func check(_ event: ShopOpened, _ fact: Fact) {
        requireOwn(event.owner, fact, "shop \(event.shop.text) was opened for somebody else")
        let count = shops.open[event.owner]?.count ?? 0
        require(count < Limits.openShopsPerAccount, "\(event.owner.text) owns \(count) open shops already")
        require(shops.owners[event.shop] == nil, "shop \(event.shop.text) was opened before")
        require(event.contact.open?.location.isOnEarth ?? true, "shop \(event.shop.text) lies nowhere on Earth")
        if shops.owners[event.shop] == nil { shops.owners[event.shop] = event.owner }
        shops.open[event.owner, default: []].insert(event.shop)
        noteZone(event.schedule.timeZone, of: event.shop)
    }

    mutating func check(_ event: CampaignPublished, _ fact: Fact) {
        requireManager(event.shop, fact)
        requireOpenCounterToday(event.shop)
        require(campaigns[event.campaign] == nil, "campaign \(event.campaign.text) was published before")
        require(
            event.terms.endsAt > event.terms.startsAt && event.terms.endsAt > fact.time,
            "campaign \(event.campaign.text) ends before it begins")
        let isPossible = event.kind == .stampCard ? Limits.goalStamps.contains(event.terms.goal) : event.terms.goal == 0
        require(isPossible, "campaign \(event.campaign.text) has the goal \(event.terms.goal)")
        campaigns[event.campaign] = LiveCampaign(shop: event.shop, kind: event.kind, terms: event.terms)
        searches.published[event.campaign] = fact.position
        requireOptions(event.terms, of: event.campaign)
        requireShops(event.terms.options.shops, of: event.campaign, at: event.shop, before: [], fact)
    }

    /// Start and end may be in the past, but the end must be after the start.
    mutating func check(_ event: CampaignEdited, _ fact: Fact) {
        requireManager(event.shop, fact)
        requireOpenCounterToday(event.shop)
        requireChange(event.campaign.value, event.hashValue, "the edit of campaign \(event.campaign.text) changed nothing")
        guard let campaign = campaign(event.campaign, of: event.shop) else { return }
        require(event.terms.endsAt > event.terms.startsAt, "campaign \(event.campaign.text) ends before it begins")
        let isSameEnd = event.terms.endsAt == campaign.terms.endsAt
        require(!campaign.isEnded || isSameEnd, "campaign \(event.campaign.text) was ended, and got another end")
        let isPossible = campaign.isStampCard ? Limits.goalStamps.contains(event.terms.goal) : event.terms.goal == 0
        require(isPossible, "campaign \(event.campaign.text) has the goal \(event.terms.goal)")
        campaigns[event.campaign]?.terms = event.terms
        requireOptions(event.terms, of: event.campaign)
        requireShops(event.terms.options.shops, of: event.campaign, at: event.shop, before: campaign.terms.options.shops, fact)
    }

    /// The suspension of the shop is not checked: the erasure of its owner also ends campaigns, and the event of the erasure comes later.
    mutating func check(_ event: CampaignEnded, _ fact: Fact) {
        requireManager(event.shop, fact)
        guard let campaign = campaign(event.campaign, of: event.shop) else { return }
        require(!campaign.isEnded && fact.time < campaign.terms.endsAt, "campaign \(event.campaign.text) was over already")
        campaigns[event.campaign]?.endedAt = fact.time
    }

    mutating func check(_ event: CampaignReopened, _ fact: Fact) {
        requireManager(event.shop, fact)
        requireOpenCounter(event.shop)
        guard let campaign = campaign(event.campaign, of: event.shop) else { return }
        require(event.endsAt == campaign.terms.endsAt, "campaign \(event.campaign.text) was reopened with another end")
        require(fact.time < campaign.terms.endsAt, "campaign \(event.campaign.text) was reopened after its time")
        let isInTime = campaign.endedAt.map { fact.time < $0.advanced(bySeconds: Limits.reopeningSeconds) } ?? false
        require(isInTime, "campaign \(event.campaign.text) was not ended within the day before it was reopened")
        campaigns[event.campaign]?.endedAt = nil
    }

    mutating func campaign(_ id: CampaignID, of shop: ShopID) -> LiveCampaign? {
        let campaign = campaigns[id]
        require(campaign != nil, "campaign \(id.text) was never published")
        require(campaign == nil || campaign?.shop == shop, "campaign \(id.text) is not of shop \(shop.text)")
        return campaign
    }

    /// Requires that an edit differs from the previous edit of the same shop or campaign.
    mutating func requireChange(_ thing: UInt128, _ edit: Int, _ what: @autoclosure () -> String) {
        require(edits[thing] != edit, what())
        edits[thing] = edit
    }

    mutating func requireOwner(_ shop: ShopID, _ fact: Fact) {
        require(shops.owners[shop] != nil, "shop \(shop.text) was never opened")
        require(shops.owners[shop] == nil || shops.owners[shop] == fact.actor, "\(fact.actor.text) does not own shop \(shop.text)")
    }

    mutating func requireStaff(_ shop: ShopID, _ fact: Fact) {
        require(employs(shop, fact.actor), "\(fact.actor.text) does not work at shop \(shop.text)")
    }

    mutating func requireStranger(_ shop: ShopID, _ account: AccountID) {
        require(!employs(shop, account), "\(account.text) works at shop \(shop.text)")
    }
}

struct LiveReview {
    let shop: ShopID
    let thread: ReviewID
    let depth: Int
    let author: AccountID
    var isRemoved = false
}

extension RuleBook {
    mutating func check(_ event: ReviewPosted, _ fact: Fact) {
        requireAuthor(event.author, fact)
        require(shops.owners[event.shop] != nil, "shop \(event.shop.text) was never opened")
        requireStranger(event.shop, event.author)
        require(event.rating != nil || event.text != nil, "review \(event.review.text) has neither a rating nor a text")
        require(event.rating.map(Limits.rating.contains) ?? true, "review \(event.review.text) gives \(event.rating ?? 0) stars")
        add(event.review, LiveReview(shop: event.shop, thread: event.review, depth: 0, author: event.author))
    }

    mutating func check(_ event: ReplyPosted, _ fact: Fact) {
        requireAuthor(event.author, fact)
        if employs(event.shop, event.author) { requireOpenCounterToday(event.shop) }
        add(event.reply, LiveReview(shop: event.shop, thread: event.thread, depth: event.depth, author: event.author))
        guard let place = reviewIndex.place(of: event.parent.value) else {
            return require(false, "reply \(event.reply.text) answers \(event.parent.text), which was never posted")
        }
        let parent = reviews[place]
        require(!parent.isRemoved, "reply \(event.reply.text) answers \(event.parent.text), which was removed")
        require(parent.shop == event.shop && parent.thread == event.thread, "reply \(event.reply.text) is in another thread")
        require(event.depth == parent.depth + 1 && event.depth <= Limits.replyDepthMax, "reply \(event.reply.text) is \(event.depth) deep")
    }

    mutating func check(_ event: ReviewRemoved, _ fact: Fact) {
        requireAccount(fact.actor)
        guard let place = reviewIndex.place(of: event.review.value) else {
            return require(false, "review \(event.review.text) was removed and never posted")
        }
        let review = reviews[place]
        require(!review.isRemoved, "review \(event.review.text) was removed before")
        require(
            review.shop == event.shop && review.thread == event.thread && review.author == event.author,
            "review \(event.review.text) is another one")
        // No event shows which accounts are operators, so only the author is excluded.
        require((fact.actor == event.author) != event.byOperator, "review \(event.review.text) was removed in somebody's name")
        reviews[place].isRemoved = true
    }

    private mutating func requireAuthor(_ author: AccountID, _ fact: Fact) {
        requireOwn(author, fact, "something was written in the name of \(author.text)")
    }

    private mutating func add(_ id: ReviewID, _ review: LiveReview) {
        guard reviewIndex.place(of: id.value) == nil else { return require(false, "review \(id.text) was posted before") }
        _ = reviewIndex.insert(id.value)
        reviews.append(review)
    }
}
