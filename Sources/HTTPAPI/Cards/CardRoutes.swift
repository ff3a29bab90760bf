import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// The routes of one card, for its holder, and of claiming a coupon.
struct CardRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/cards/{id}", card), .post("/v1/cards/{id}/redemption", requestRedemption),
            .post("/v1/campaigns/{id}/coupon", claim),
            resources.act(.delete, "/v1/cards/{id}") { .discardCard(DiscardCard(card: try $0.id())) },
        ]
    }

    private func card(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Card.self)
        try await resources.awaitPosition(of: request, by: bearer.account, in: CardProgress.name)
        let reached = resources.service.models.position(of: CardProgress.name)
        let found = try resources.service.models.cards.positioned(id)
        guard let card = found.card, card.holder == bearer.account else { throw Problem(.notFound) }
        let now = resources.now
        let answer = CardAnswer(
            card: try resources.service.opened(card).aged(to: now), now: now,
            reasons: try resources.reasons(of: [card]), reversals: try resources.service.reading { try $0.reversals(on: card) },
            shops: try resources.shops(of: card))
        return Response.ok(answer).showing(max(reached, found.position))
    }

    /// A reward that each account may claim once. A claimed coupon is a full card.
    private func claim(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Campaign.self)
        let acceptance = try await resources.service.claimCoupon(of: id, by: write.caller("POST /v1/campaigns/coupon", id))
        guard let card = acceptance.cards.first else { throw Resources.missingFact(acceptance) }
        let answer: JSONFields = ["card": CardAnswer(card: try resources.service.opened(card)), "position": acceptance.position]
        return .written(.created, for: acceptance, location: "/v1/cards/" + card.id.text, answer)
    }

    private func requestRedemption(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Card.self)
        let milestone = try await request.optionalJSON { $0.optionalInt("milestone") }
        var canonical = CanonicalRequest("POST /v1/cards/redemption", id)
        // The milestone is added only if present, so that a request without a milestone has the same content as before milestones existed.
        if let milestone { canonical.add(milestone) }
        let acceptance = try await submitRequest(for: id, milestone, by: write.caller(canonical))
        let (redemption, code, expiresAt) = try requestedCode(in: acceptance)
        let shown = ShownCode(code, .redemption, publicURL: resources.publicURL)
        let answer = shown.fields(id: redemption, expiresAt: expiresAt)
        let location = "/v1/redemptions/" + redemption.text
        return Response.written(.created, for: acceptance, location: location, answer).unstored()
    }

    /// Accepted requests use up the card's budget, because each lengthens its history.
    private func submitRequest(for card: CardID, _ milestone: Int?, by caller: Caller) async throws -> Acceptance {
        let budget = resources.budgets.redemptionRequests
        let isBegun = try await resources.begin(card, of: budget, for: caller)
        var isNew = false
        defer { if isBegun { budget.end(card, failed: isNew) } }
        let acceptance = try await resources.service.requestRedemption(of: card, milestone: milestone, by: caller)
        isNew = !acceptance.isReplay
        return acceptance
    }

    private func requestedCode(in acceptance: Acceptance) throws -> (RedemptionID, TypedCode, Instant) {
        switch acceptance.facts.last?.event {
        case .redemptionRequested(let event): (event.redemption, resources.service.redemptionCode(of: event), event.expiresAt)
        case .milestoneRequested(let event): (event.redemption, resources.service.redemptionCode(of: event), event.expiresAt)
        default: throw Resources.missingFact(acceptance)
        }
    }
}

/// A card in an answer to its holder or to staff, with the status to show.
struct CardAnswer: JSONWritable {
    let card: Card
    /// Decides the milestones' state. Nil means the time of the history's last event, so that a write's retry gets the same answer.
    var now: Instant?
    var withHistory = true
    /// By event position.
    var reasons: [UInt64: String] = [:]
    /// The times of reversals, by the position of the event that added the stamps. Only for `GET /cards/{id}`.
    var reversals: [UInt64: Instant] = [:]
    /// For lists; nil shows only the ids.
    var origin: CardOrigin?
    /// The other shops where the card is stamped and redeemed. Only for lists and `GET /cards/{id}`.
    var shops: [ShopID] = []

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", card.id)
            if let origin {
                origin.write(to: &$0)
            } else {
                $0.field("campaign", card.campaign)
                $0.field("shop", card.shop)
            }
            if !shops.isEmpty { $0.array("shops", shops) { $0.value($1.text) } }
            $0.field("status", card.status.text)
            $0.field("stamps", card.stamps)
            $0.field("goal", card.goal)
            $0.field("reward", card.reward.open ?? "")
            $0.field("openedAt", card.openedAt)
            if let end = card.terms.expiresAt { $0.field("expiresAt", end) }
            if let until = card.terms.redeemUntil { $0.field("redeemUntil", until) }
            if let now = now ?? card.history.last?.at, !card.terms.milestones.isEmpty {
                $0.field("milestones", card.milestoneFields(at: now))
            }
            if withHistory { $0.array("history", card.history, write) }
        }
    }

    private func write(to json: inout JSONWriter, _ entry: CardEntry) {
        json.object {
            $0.field("at", entry.at)
            $0.field("kind", entry.kind.text)
            $0.field("stamps", entry.stamps)
            $0.field("position", entry.position)
            if let milestone = entry.milestone { $0.field("milestone", milestone) }
            if let time = reversals[entry.position] { $0.field("reversedAt", time) }
            if let reason = reasons[entry.position] { $0.field("reason", reason) }
        }
    }
}

extension CardStatus {
    var text: String {
        switch self {
        case .collecting: "collecting"
        case .full: "full"
        case .redeemed: "redeemed"
        case .discarded: "discarded"
        case .expired: "expired"
        }
    }
}

extension CardEntry.Kind {
    fileprivate var text: String {
        switch self {
        case .opened: "opened"
        case .stamped: "stamped"
        case .redemptionRequested: "redemptionRequested"
        case .redeemed: "redeemed"
        case .discarded: "discarded"
        case .reversed: "reversed"
        case .adjusted: "adjusted"
        case .stampReversed: "stampReversed"
        case .reminded: "reminded"
        case .expired: "expired"
        case .milestoneRequested: "milestoneRequested"
        case .milestoneRedeemed: "milestoneRedeemed"
        case .milestoneReversed: "milestoneReversed"
        case .taken: "taken"
        }
    }
}

/// The campaign and shop of a card in lists, so that a page of cards needs one request. Lists have objects in `campaign` and `shop`; all
/// other answers have ids there, which clients of API version 1 read.
struct CardOrigin {
    let campaign: Campaign
    let shop: Shop
    /// The other shops where the campaign's cards are stamped and redeemed.
    let shops: [ShopID]

    func write(to json: inout JSONWriter) {
        json.object("campaign") {
            $0.field("id", campaign.id)
            $0.field("title", campaign.title.open ?? "")
            $0.field("reward", campaign.reward.open ?? "")
            $0.field("endsAt", min(campaign.endsAt, campaign.endedAt ?? campaign.endsAt))
        }
        json.object("shop") {
            $0.field("id", shop.id)
            $0.field("name", shop.name)
            if let image = shop.images.first { $0.field("image", image) } else { $0.null("image") }
            if let color = shop.look.color { $0.field("color", color.name) }
            if let logo = shop.look.logo { $0.field("logo", logo) }
        }
    }
}

extension Resources {
    /// Cards for lists, with campaigns and shops as of a position. Each campaign and each shop is read once.
    func listed(_ cards: [Card], through position: Position, at now: Instant) throws -> [CardAnswer] {
        var origins: [CampaignID: CardOrigin] = [:]
        let known = knownShops(through: position)
        return try cards.map { card in
            let origin = try origins[card.campaign] ?? origin(of: card, known, through: position)
            origins[card.campaign] = origin
            return CardAnswer(
                card: try service.opened(card).aged(to: now), now: now, withHistory: false, origin: origin, shops: origin.shops)
        }
    }

    private func origin(of card: Card, _ known: KnownShops, through position: Position) throws -> CardOrigin {
        let campaign = try existing(through: position) { try $0.campaign(card.campaign) }
        let shop = try known.shop(card.shop)
        return CardOrigin(campaign: try service.opened(campaign, of: shop), shop: shop, shops: try known.idsSharing(campaign))
    }
}
