public import EventLog
public import Loyalty
import LoyaltyCodec
import ReadModels

/// The past up to one position, read from the log; with the `Appender` as source, with staged events. Each entity is folded from its own
/// events.
///
/// Few events are read, however many edits or cards there are: an edit contains every field, except in profiles of older versions, and a
/// collecting card is the last opened or one changed later.
public struct LogPast<Source: EventSource>: Past {
    public typealias Failure = any Error

    package let source: Source
    /// The last included position; nil for all events.
    let bound: Position?

    public init(_ source: Source, through bound: Position? = nil) { (self.source, self.bound) = (source, bound) }

    public func account(_ id: AccountID) throws -> Account? {
        guard let account = try anyAccount(id), !account.isErased else { return nil }
        return account
    }

    public func account(phone: Secret) throws -> Account? {
        guard let known = Account.fold(try facts([.accountRegistered], Tag(kind: .phone, value: phone.value))) else { return nil }
        return try anyAccount(known.id)
    }

    public func wasErased(_ id: AccountID) throws -> Bool { try anyAccount(id)?.isErased == true }

    private func anyAccount(_ id: AccountID) throws -> Account? {
        let tag = Tag(kind: .account, value: id.value)
        // These events are few: a budget limits changes of number, and only operators suspend.
        let types: [EventType] = [
            .accountRegistered, .accountErased, .phoneChanged, .phoneChangeRequested, .phoneChangeEnded, .accountSuspended,
            .accountReinstated,
        ]
        let life = try facts(types, tag)
        let password = try newest([.passwordSet, .passwordRemoved], [tag], limit: 1)
        return Account.fold((life + password + (try profileEdits(tag))).sorted { $0.position < $1.position })
    }

    /// The edits that a profile is folded from: the newest, or all if an older version wrote it, because it may lack fields.
    private func profileEdits(_ account: Tag) throws -> [Fact] {
        let newest = try newest([.profileEdited], [account], limit: 1)
        guard case .profileEdited(let edit) = newest.first?.event, !edit.change.isWhole else { return newest }
        return try facts([.profileEdited], account)
    }

    public func session(_ id: SessionID) throws -> Session? {
        let tag = Tag(kind: .session, value: id.value)
        let life = try facts([.sessionStarted, .sessionEnded], tag)
        // The newest refresh has the valid token; `spentTokensMax` spent tokens need as many earlier refreshes.
        let refreshes = try newest([.sessionRefreshed], [tag], limit: Loyalty.Limits.spentTokensMax + 1)
        return Session.fold((life + refreshes).sorted { $0.position < $1.position })
    }

    public func openSessions(of account: AccountID) throws -> [Session] {
        var (started, ended): ([SessionID], Set<SessionID>) = ([], [])
        for fact in try facts([.sessionStarted, .sessionEnded], Tag(kind: .account, value: account.value)) {
            switch fact.event {
            case .sessionStarted(let event): started.append(event.session)
            case .sessionEnded(let event): ended.insert(event.session)
            default: break
            }
        }
        // The newest of perhaps thousands of refreshes contains the whole state.
        return try started.lazy.filter { !ended.contains($0) }.compactMap { id in
            let tag = Tag(kind: .session, value: id.value)
            return Session.fold(try facts([.sessionStarted, .sessionEnded], and: .sessionRefreshed, tag))?.withoutSpentTokens
        }
    }

    public func shop(_ id: ShopID) throws -> Shop? {
        let tag = Tag(kind: .shop, value: id.value)
        let types: [EventType] = [
            .shopOpened, .staffAdded, .staffRemoved, .staffJoined, .roleChanged, .employmentEnded, .shopTransferred, .shopClosed,
        ]
        let standing = try newest([.shopSuspended, .shopReinstated], [tag], limit: 1)
        let offerTypes: [EventType] = [.staffInvited, .invitationEnded, .transferOffered, .transferLapsed, .waitingOfferTaken]
        var offers = try newest(offerTypes, [tag], limit: Limits.offersReadMax)
        if let oldest = offers.last, offers.count == Limits.offersReadMax { offers += try transferOffer(tag, before: oldest) }
        let known = try facts(types, and: .shopEdited, tag) + standing + offers
        return Shop.fold(known.sorted { $0.position < $1.position })
    }

    private func transferOffer(_ shop: Tag, before fact: Fact) throws -> [Fact] {
        let through = Position(fact.position - 1)
        let offered = try newest([.transferOffered], [shop], limit: 1, through: through)
        guard case .transferOffered(let event) = offered.first?.event else { return [] }
        let invitation = Tag(kind: .invitation, value: event.invitation.value)
        return try offered + newest([.invitationEnded, .transferLapsed], [invitation], limit: 1, through: through)
    }

    public func shops(ownedBy owner: AccountID) throws -> [Shop] {
        try shopIDs(of: owner).compactMap { try shop($0) }.filter { $0.owner == owner }
    }

    func shopIDs(of account: AccountID) throws -> [ShopID] {
        let got = try facts([.shopOpened, .shopTransferred], Tag(kind: .account, value: account.value)).compactMap { $0.event.shop }
        var seen: Set<ShopID> = []
        return Array(got.reversed().filter { seen.insert($0).inserted }.reversed())
    }

    /// The open shop that an account has owned for longest, for clients of one shop per account.
    public func firstShop(ownedBy owner: AccountID) throws -> Shop? {
        for id in try shopIDs(of: owner) {
            if let shop = try shop(id), shop.owner == owner, shop.closing == nil { return shop }
        }
        return nil
    }

    public func campaign(_ id: CampaignID) throws -> Campaign? {
        let tag = Tag(kind: .campaign, value: id.value)
        // Only the newest end or reopening decides, so many of them do not slow readers down.
        let ending = try newest([.campaignEnded, .campaignReopened], [tag], limit: 1)
        let terms = try facts([.campaignPublished], and: .campaignEdited, tag)
        return Campaign.fold((terms + ending).sorted { $0.position < $1.position })
    }

    public func card(_ id: CardID) throws -> Card? { Card.fold(try facts(Card.eventTypes, Tag(kind: .card, value: id.value))) }

    /// The collecting card of a holder: the last opened one, or one that was adjusted, lost stamps or was taken over later, because a card
    /// is opened only if none is collecting.
    public func collectingCard(of holder: AccountID, in campaign: CampaignID) throws -> Card? {
        let tags = tags(of: holder, in: campaign)
        let opened = try newest([.cardOpened], tags, limit: 1).first
        if try opened == nil && newest([.waitingCardTaken], tags, limit: 1).isEmpty { return nil }
        let changed = try facts(
            [.cardAdjusted, .stampReversed, .waitingCardTaken], tags, after: opened.map { Position($0.position) } ?? .start)
        var seen: Set<CardID> = []
        let ids = (changed.reversed() + (opened.map { [$0] } ?? [])).compactMap { fact -> CardID? in
            // Such a card collects only if a later event changed it.
            if case .waitingCardTaken(let event) = fact.event, event.status != .collecting { return nil }
            return fact.event.card.flatMap { seen.insert($0).inserted ? $0 : nil }
        }
        return try ids.lazy.compactMap { try card($0) }.first { $0.status == .collecting && $0.holder == holder }
    }

    /// The holder's newest stamps that were not taken back, as ``StampGains`` keeps them.
    public func gains(of holder: AccountID, in campaign: CampaignID) throws -> StampGains {
        StampGains(try newestGains(of: holder, in: campaign, count: Loyalty.Limits.stampGains).newestFirst.reversed())
    }

    public func secondsAhead(in timeZone: String, at moment: Instant) -> Int {
        (ReportZone(name: timeZone) ?? .utc).secondsAhead(at: moment)
    }

    /// The tally of the holder's cards, read only if the campaign needs it.
    public func tally(of holder: AccountID, in campaign: CampaignID) throws -> CardTally {
        let types: [EventType] = [.cardOpened, .cardStamped, .cardAdjusted, .stampReversed, .cardExpired, .waitingCardTaken]
        return try facts(types, tags(of: holder, in: campaign)).reduce(into: CardTally()) { $0.evolve($1.event) }
    }

    func tags(of holder: AccountID, in campaign: CampaignID) -> [Tag] {
        [Tag(kind: .account, value: holder.value), Tag(kind: .campaign, value: campaign.value)]
    }

    public func redemption(_ id: RedemptionID) throws -> Redemption? {
        Redemption.fold(try facts(Redemption.eventTypes, Tag(kind: .redemption, value: id.value)))
    }

    public func redemption(secret: Secret) throws -> Redemption? {
        let tag = Tag(kind: .redemptionSecret, value: secret.value)
        let requested = try newest([.redemptionRequested, .milestoneRequested], [tag], limit: 1).first
        return try requested.flatMap { Redemption(opening: $0) }.flatMap { try redemption($0.id) }
    }

    public func review(_ id: ReviewID) throws -> Review? { Review.fold(try facts(Review.eventTypes, Tag(kind: .review, value: id.value))) }

    public func notice(_ id: NoticeID) throws -> Notice? { Notice.fold(try facts(Notice.eventTypes, Tag(kind: .notice, value: id.value))) }

    public func hasRead(_ notice: NoticeID, by account: AccountID) throws -> Bool {
        let tags = [Tag(kind: .account, value: account.value), Tag(kind: .notice, value: notice.value)]
        return try !newest([.noticeRead], tags, limit: 1).isEmpty
    }

    public func has(_ favorite: Favorite) throws -> Bool {
        let tags = [Tag(kind: .account, value: favorite.account.value), Tag(kind: .campaign, value: favorite.campaign.value)]
        let last = try newest([.favoriteAdded, .favoriteRemoved], tags, limit: 1).first
        guard case .favoriteAdded = last?.event else { return false }
        return true
    }

    func favorites(of account: AccountID) throws -> Set<CampaignID> {
        let changes = try facts([.favoriteAdded, .favoriteRemoved], Tag(kind: .account, value: account.value))
        return changes.reduce(into: []) { kept, fact in
            switch fact.event {
            case .favoriteAdded(let event): kept.insert(event.campaign)
            case .favoriteRemoved(let event): kept.remove(event.campaign)
            default: break
            }
        }
    }

    /// The favourites that a campaign has gained since a position, less those lost, with those of accounts erased since.
    public func favoriteCount(of campaign: CampaignID, after start: Position = .start) throws -> Int {
        let tag = Tag(kind: .campaign, value: campaign.value)
        func count(_ type: EventType) throws -> Int {
            let query = Query.items([QueryItem(types: [type], tags: [tag])])
            return try source.positions(matching: query, after: start, through: bound ?? source.head, backwards: false, limit: .max).count
        }
        return try count(.favoriteAdded) - count(.favoriteRemoved)
    }

    public func campaigns(of shop: ShopID) throws -> [Campaign] { try campaignIDs(of: shop).compactMap { try campaign($0) } }

    package func campaignIDs(of shop: ShopID) throws -> [CampaignID] {
        try facts([.campaignPublished], Tag(kind: .shop, value: shop.value)).compactMap { fact in
            guard case .campaignPublished(let event) = fact.event else { return nil }
            return event.campaign
        }
    }

    /// Whether an account owns a shop, open or closed, or works for one.
    public func worksSomewhere(_ account: AccountID) throws -> Bool {
        for id in try shopIDs(of: account) {
            if try shop(id)?.owner == account { return true }
        }
        return try !employers(of: account).isEmpty
    }

    // MARK: - Reads that decisions do not need, and helpers of all reads

    /// Events about an account after a position, oldest first, with transfers by which it gave shops away.
    public func history(of account: AccountID, types: [EventType] = [], after: Position, limit: Int) throws -> [Fact] {
        var items = [QueryItem(types: types, tags: [Tag(kind: .account, value: account.value)])]
        if types.isEmpty || types.contains(.shopTransferred) {
            items.append(QueryItem(types: [.shopTransferred], tags: [Tag(kind: .formerOwner, value: account.value)]))
        }
        let through = bound ?? source.head
        guard after < through else { return [] }
        return try source.events(matching: .items(items), after: after, through: through, limit: limit).map { try LoyaltyCodec.decode($0) }
    }

    /// The expiry that a session's newest refresh set, and the time at which it was ended.
    public func end(of session: SessionID) throws -> (expiresAt: Instant?, endedAt: Instant?) {
        let tag = [Tag(kind: .session, value: session.value)]
        guard case .sessionRefreshed(let event)? = try newest([.sessionRefreshed], tag, limit: 1).first?.event else {
            return (nil, try newest([.sessionEnded], tag, limit: 1).first?.time)
        }
        return (event.expiresAt, try newest([.sessionEnded], tag, limit: 1).first?.time)
    }

    func cards(of holder: AccountID, in campaign: CampaignID) throws -> [CardID] {
        let tags = [Tag(kind: .account, value: holder.value), Tag(kind: .campaign, value: campaign.value)]
        return try newest([.cardOpened], tags, limit: .max).compactMap { fact in
            guard case .cardOpened(let event) = fact.event else { return nil }
            return event.card
        }
    }

    /// The events of an earlier request with this idempotency key, oldest first, with its digest.
    package func facts(ofRequest request: UInt128) throws -> (facts: [Fact], digest: UInt128)? {
        let tag = Tag(kind: .request, value: request)
        guard try source.lastPosition(of: tag) != nil else { return nil }  // Most keys are new; this read is the cheapest.
        let events = try source.events(matching: .items([QueryItem(types: [], tags: [tag])]), through: bound ?? source.head)
        guard let first = events.first, let digest = first.event.tags.first(where: { $0.kind == .digest }) else { return nil }
        return (try events.map { try LoyaltyCodec.decode($0) }, digest.value)
    }

    /// A card's events before one of its events, oldest first.
    public func events(of card: CardID, before end: Position) throws -> [Fact] {
        let query = Query.items([QueryItem(types: [], tags: [Tag(kind: .card, value: card.value)])])
        return try source.events(matching: query, through: Position(end.rawValue - 1)).map { try LoyaltyCodec.decode($0) }
    }

    package func facts(_ types: [EventType], _ tag: Tag) throws -> [Fact] { try facts(types, [tag]) }

    func facts(_ types: [EventType], _ tags: [Tag], after: Position = .start) throws -> [Fact] {
        let query = Query.items([QueryItem(types: types, tags: tags)])
        return try source.events(matching: query, after: after, through: bound ?? source.head).map { try LoyaltyCodec.decode($0) }
    }

    /// Events of some types, and only the newest of the type `edited`, because an edit contains all fields.
    private func facts(_ types: [EventType], and edited: EventType, _ tag: Tag) throws -> [Fact] {
        (try facts(types, tag) + newest([edited], [tag], limit: 1)).sorted { $0.position < $1.position }
    }

    func newest(_ types: [EventType], _ tags: [Tag], limit: Int, through: Position? = nil) throws -> [Fact] {
        let query = Query.items([QueryItem(types: types, tags: tags)])
        let events = try source.events(matching: query, through: through ?? bound ?? source.head, backwards: true, limit: limit)
        return try events.map { try LoyaltyCodec.decode($0) }
    }
}

extension LogPast {
    /// An offer of employment, or of a shop, with its answer.
    public func invitation(_ id: InvitationID) throws -> Invitation? {
        Invitation.fold(try facts(Invitation.eventTypes, Tag(kind: .invitation, value: id.value)))
    }

    /// Offers to an account, newest first, in any state, with the `before` of the next page.
    public func invitations(of account: AccountID, before: Position?, limit: Int) throws -> (invitations: [Invitation], next: Position?) {
        let types: [EventType] = [.staffInvited, .transferOffered, .waitingOfferTaken]
        let query = Query.items([QueryItem(types: types, tags: [Tag(kind: .account, value: account.value)])])
        let last = bound ?? source.head
        let through = min(before.map { Position($0.rawValue - min($0.rawValue, 1)) } ?? last, last)
        let events = try source.events(matching: query, through: through, backwards: true, limit: limit)
        let invitations = try events.compactMap { event -> Invitation? in
            switch try LoyaltyCodec.decode(event).event {
            case .staffInvited(let invited): try invitation(invited.invitation)
            case .transferOffered(let offered): try invitation(offered.invitation)
            case .waitingOfferTaken(let taken): try invitation(taken.invitation)
            default: nil
            }
        }
        return (invitations, events.count == limit ? events.last?.position : nil)
    }

    /// A saved search, also a removed one. The newest edit, alert and look contain the whole state.
    public func search(_ id: SearchID) throws -> SavedSearch? {
        let tag = Tag(kind: .search, value: id.value)
        let life = try facts([.searchSaved, .searchRemoved], tag)
        let changes = try [.searchEdited, .searchSeen, .searchAlerted].flatMap { try newest([$0], [tag], limit: 1) }
        return SavedSearch.fold((life + changes).sorted { $0.position < $1.position })
    }

    /// Counts positions without reading events, so that many removed searches cost little.
    public func searchCount(of account: AccountID) throws -> Int {
        let tag = Tag(kind: .account, value: account.value)
        func count(_ type: EventType) throws -> Int {
            let query = Query.items([QueryItem(types: [type], tags: [tag])])
            return try source.positions(matching: query, after: .start, through: bound ?? source.head, backwards: false, limit: .max).count
        }
        return try count(.searchSaved) - count(.searchRemoved)
    }

    /// The name under which a shop's people see an account; empty if it was taken away.
    public func label(of account: AccountID, at shop: ShopID) throws -> TypedText? {
        let tags = [Tag(kind: .account, value: account.value), Tag(kind: .shop, value: shop.value)]
        guard case .staffLabeled(let event) = try newest([.staffLabeled], tags, limit: 1).first?.event else { return nil }
        return event.label
    }

    /// The shops that an account works for and does not own, newest first, of its newest ``Limits/hiringsReadMax`` employments.
    public func employers(of account: AccountID) throws -> [Shop] {
        var seen: Set<ShopID> = []
        let tag = Tag(kind: .account, value: account.value)
        return try newest([.staffAdded, .staffJoined], [tag], limit: Limits.hiringsReadMax).compactMap { fact in
            guard let id = fact.event.shop, seen.insert(id).inserted, let shop = try shop(id) else { return nil }
            return shop.staff.contains(account) ? shop : nil
        }
    }

    /// Whether the account has muted the shop.
    public func has(_ mute: Mute) throws -> Bool {
        let tags = [Tag(kind: .account, value: mute.account.value), Tag(kind: .shop, value: mute.shop.value)]
        guard case .shopMuted = try newest([.shopMuted, .shopUnmuted], tags, limit: 1).first?.event else { return false }
        return true
    }

    /// The shops that an account has muted.
    public func mutedShops(of account: AccountID) throws -> Set<ShopID> {
        try facts([.shopMuted, .shopUnmuted], Tag(kind: .account, value: account.value)).reduce(into: []) { muted, fact in
            switch fact.event {
            case .shopMuted(let event): muted.insert(event.shop)
            case .shopUnmuted(let event): muted.remove(event.shop)
            default: break
            }
        }
    }
}
