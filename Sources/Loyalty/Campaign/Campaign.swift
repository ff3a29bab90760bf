/// A campaign (活动) of a shop. Its terms are also its own members, such as `campaign.goal`.
@dynamicMemberLookup
public struct Campaign: Hashable, Sendable {
    public let id: CampaignID
    public let shop: ShopID
    public var kind: CampaignKind
    public var terms: CampaignTerms<TypedText>
    /// nil also after a reopening.
    public var endedAt: Instant?
    /// For `ETag` and `If-Match`.
    public var version: UInt64

    public init(id: CampaignID, shop: ShopID, kind: CampaignKind, terms: CampaignTerms<TypedText>, endedAt: Instant?, version: UInt64) {
        (self.id, self.shop, self.kind, self.terms, self.endedAt, self.version) = (id, shop, kind, terms, endedAt, version)
    }

    public subscript<Value>(dynamicMember path: WritableKeyPath<CampaignTerms<TypedText>, Value>) -> Value {
        get { terms[keyPath: path] }
        set { terms[keyPath: path] = newValue }
    }
}

extension Campaign {
    /// A campaign that was ended early stays over even if the clock steps back.
    public func isRunning(at now: Instant) -> Bool { endedAt == nil && terms.startsAt <= now && now < terms.endsAt }

    public func isOver(at now: Instant) -> Bool { endedAt != nil || terms.endsAt <= now }
}

extension [Campaign] {
    func openCount(at now: Instant) -> Int { count { !$0.isOver(at: now) } }

    /// - Throws: `.invalid` if the shop has no room for one of them to be open again.
    func requireRoom(at now: Instant) throws(Rejection) {
        let most = Limits.openCampaignsPerShop
        try FieldChecks.check { $0.require(openCount(at: now) < most, "endsAt", .reopened(max: most)) }
    }
}

extension Campaign {
    public init?(opening fact: Fact) {
        guard case .campaignPublished(let event) = fact.event else { return nil }
        self.init(id: event.campaign, shop: event.shop, kind: event.kind, terms: event.terms, endedAt: nil, version: fact.position)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .campaignEdited(let event) where event.campaign == id:
            terms = event.terms
            version = fact.position
        case .campaignEnded(let event) where event.campaign == id:
            endedAt = fact.time
            version = fact.position
        case .campaignReopened(let event) where event.campaign == id:
            endedAt = nil
            version = fact.position
        default: break
        }
    }
}

/// A card to fill (集点卡), an announcement (促销活动), or a reward that each account may claim once (优惠券), by its name in the API.
public enum CampaignKind: String, Hashable, Sendable, CaseIterable {
    case stampCard
    case promotion
    case coupon

    public var hasCards: Bool { self != .promotion }
}

/// A shop announced a campaign.
public struct CampaignPublished: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let kind: CampaignKind
    public let terms: CampaignTerms<TypedText>

    public init(campaign: CampaignID, shop: ShopID, kind: CampaignKind, terms: CampaignTerms<TypedText>) {
        (self.campaign, self.shop, self.kind, self.terms) = (campaign, shop, kind, terms)
    }
}

/// The owner or a manager changed a campaign. The event has all terms, so that readers need no earlier state.
public struct CampaignEdited: Hashable, Sendable {
    public let campaign: CampaignID
    public let shop: ShopID
    public let terms: CampaignTerms<TypedText>

    public init(campaign: CampaignID, shop: ShopID, terms: CampaignTerms<TypedText>) {
        (self.campaign, self.shop, self.terms) = (campaign, shop, terms)
    }
}

/// The shops of a campaign: its own, and those that its terms name.
///
/// Another shop takes part while it has the same owner and is neither closed nor suspended, judged at each decision. A person's role is
/// valid only at the shop that gave it.
///
/// An event names the shop at which it happened, so that lists, live streams and statistics count it once; the tag `home` names the
/// campaign's own shop if that is another. A campaign's events have no tags of its other shops: a record has at most 16 tags, and a
/// campaign up to 51 shops.
public struct CampaignShops: Hashable, Sendable {
    public let home: Shop
    /// Whether they take part now or not.
    public let named: [Shop]

    public init(home: Shop, named: [Shop] = []) { (self.home, self.named) = (home, named) }
}

extension CampaignShops {
    /// - Parameter known: a shop that need not be looked up again.
    static func load<P: Past>(of campaign: Campaign, knowing known: Shop? = nil, in past: inout P) throws(P.Failure) -> CampaignShops? {
        let ids = campaign.options.shops
        let home = if let known, known.id == campaign.shop { known } else { try past.shop(campaign.shop) }
        guard let home else { return nil }
        return CampaignShops(home: home, named: try .load(ids, in: &past))
    }

    /// Includes suspended and closed shops. Their people cannot be customers of the campaign.
    private var brand: [Shop] { [home] + named.filter { $0.owner == home.owner } }

    /// The state of the campaign's own shop is checked by ``Command/refusal(of:in:by:at:)``.
    public func isOpen(_ shop: Shop) -> Bool { shop.id == home.id || shop.owner == home.owner && shop.closing == nil && !shop.isSuspended }

    public var open: [Shop] { [home] + named.filter(isOpen) }

    public func employs(_ account: AccountID) -> Bool { brand.contains { $0.employs(account) } }

    /// The shop at which a person issues codes or hands out rewards.
    ///
    /// - Parameter wanted: nil, as from older clients, means the campaign's own shop, or else the actor's.
    /// - Throws: `.forbidden` if the actor does not work there; `.invalid` for a strange shop or an ambiguous nil.
    public func place(_ wanted: ShopID?, of actor: AccountID) throws(Rejection) -> Shop {
        let own = brand.filter { $0.employs(actor) }
        guard let first = own.first else { throw .forbidden }
        if let wanted {
            guard let shop = brand.first(where: { $0.id == wanted }) else {
                throw .invalid([InvalidField(field: "shop", fault: .otherCampaignShop)])
            }
            guard shop.employs(actor) else { throw .forbidden }
            return shop
        }
        if home.employs(actor) { return home }
        // A shop that does not take part leads to a refusal for its state.
        let open = own.filter(isOpen)
        guard open.count <= 1 else { throw .invalid([InvalidField(field: "shop", fault: .severalShops)]) }
        return open.first ?? first
    }
}

extension [Shop] {
    /// One id above the maximum is enough to refuse a longer list.
    static func load<P: Past>(_ ids: [ShopID], in past: inout P) throws(P.Failure) -> [Shop] {
        var shops: [Shop] = []
        for id in ids.prefix(Limits.sharedShops + 1) {
            if let shop = try past.shop(id) { shops.append(shop) }
        }
        return shops
    }
}

extension Campaign {
    /// nil for an event at the campaign's own shop.
    func home(besides place: ShopID) -> ShopID? { place == shop ? nil : shop }
}

extension Card {
    /// nil for an event at the campaign's own shop.
    func home(besides place: ShopID) -> ShopID? { place == shop ? nil : shop }
}

extension CampaignOptions {
    /// As events store them: ascending, without the campaign's own shop.
    func ordered(at home: ShopID) -> CampaignOptions {
        var options = self
        options.shops = shops.filter { $0 != home }.sorted()
        return options
    }
}

extension FieldChecks {
    /// Requires one owner for all shops, and the actor as manager of each. Unknown and strange shops get the same fault, so that nobody can
    /// probe for shops.
    ///
    /// - Parameters:
    ///   - known: the existing shops among `ids`.
    ///   - before: named already and not checked again, so that a shop's later closing or sale does not block edits.
    mutating func require(shared ids: [ShopID], _ known: [Shop], at home: Shop, by actor: AccountID, besides before: [ShopID] = []) {
        guard Set(ids).subtracting([home.id]).count <= Limits.sharedShops, ids.count <= Limits.namedShops else {
            return require(false, "shops", .sharedShops(max: Limits.sharedShops))
        }
        let known = Dictionary(known.map { ($0.id, $0) }) { first, _ in first }
        var seen: Set<ShopID> = []
        for (place, id) in ids.enumerated() {
            let isNew = seen.insert(id).inserted
            let fault = !isNew ? .repeatedShop : before.contains(id) ? nil : Self.fault(known[id], id, at: home, by: actor)
            if let fault { require(false, "shops/\(place)", fault) }
        }
    }

    private static func fault(_ shop: Shop?, _ id: ShopID, at home: Shop, by actor: AccountID) -> FieldFault? {
        if id == home.id { return nil }
        guard let shop, shop.owner == home.owner, let role = shop.role(of: actor), role >= .manager else { return .strangeShop }
        if shop.closing != nil { return .closedShop }
        return shop.isSuspended ? .suspendedShop : nil
    }
}

/// An event that may happen at any shop of a campaign. Only the lists and statistics of `shop`, where it happened, include it. `home` is
/// the campaign's own shop if that is another.
public protocol SharedEvent {
    var campaign: CampaignID { get }
    var shop: ShopID { get }
    var home: ShopID? { get }
}

extension SharedEvent {
    public var campaignShop: ShopID { home ?? shop }
}

extension LoyaltyEvent {
    /// The campaign's own shop may take back what another shop gave, which may have closed since.
    var takesBack: Bool {
        switch self {
        case .stampReversed, .paperStampReversed, .redemptionReversed, .milestoneReversed: true
        default: false
        }
    }
}
