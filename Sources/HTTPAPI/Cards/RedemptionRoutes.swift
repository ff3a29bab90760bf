import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes by which a shop hands out the reward of a card or milestone, takes it back, and shows a redemption. The customer first
/// requests a code from ``CardRoutes``.
struct RedemptionRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .get("/v1/redemptions/{id}", redemption), .post("/v1/redemptions/preview", preview), .post("/v1/redemptions", redeem),
            .post("/v1/redemptions/{id}/reversal", reverse),
        ]
    }

    private func redemption(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Redemption.self)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let redemption = try resources.existing(through: shown) { try $0.redemption(id) }
        let shop = try resources.existing(through: shown) { try $0.shop(redemption.shop) }
        guard try redemption.holder == bearer.account || shop.employs(bearer.account) || isStaff(bearer.account, redemption) else {
            throw Problem(.notFound)
        }
        let card = try resources.existing(through: shown) { try $0.card(redemption.card) }
        return Response.ok(try resources.redemptionAnswer(redemption, of: card, at: resources.now)).showing(shown)
    }

    /// At one of the campaign's shops, or at the shop that handed the reward out.
    private func isStaff(_ account: AccountID, _ redemption: Redemption) throws -> Bool {
        if try resources.isStaff(account, of: redemption.campaign) { return true }
        guard let place = redemption.redeemedBy else { return false }
        return try resources.service.reading { try $0.shop(place) }?.employs(account) ?? false
    }

    private func preview(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try resources.gate.requireCurrent()
        let body = try await request.json(RedemptionRequest.init)
        try requireMerchant(bearer.account)
        let budget = resources.budgets[.redemptionCodes]
        try await budget.begin(bearer.account)
        var hasFailed = false
        defer { budget.end(bearer.account, failed: hasFailed) }
        do {
            let now = resources.now
            let (redemption, card) = try resources.service.previewRedemption(
                try Self.code(body), shop: body.shop, by: Caller(account: bearer.account), at: now)
            return .ok(
                RewardAnswer(
                    redemption: answer(redemption, card, at: now), card: try resources.service.opened(card),
                    reasons: try resources.reasons(of: [card]),
                    position: nil))
        } catch {
            hasFailed = try isGuess(body, refusedBy: error)
            throw error
        }
    }

    private func redeem(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request, requiresKey: true)
        let body = try await request.json(RedemptionRequest.init)
        return try redeemed(try await redeem(Attempt(body, write)))
    }

    /// A class because of the fault of Swift 6.3.1 described at ``NamedShop``.
    private final class Attempt: Sendable {
        let body: RedemptionRequest
        let write: Write

        init(_ body: RedemptionRequest, _ write: Write) { (self.body, self.write) = (body, write) }
    }

    /// Refused after too many wrong codes.
    private func redeem(_ attempt: Attempt) async throws -> Acceptance {
        let (body, account) = (attempt.body, attempt.write.account)
        let code = ShownCode.code(in: body.code, .redemption)
        let caller = attempt.write.caller(Self.canonical(code, typed: body.code, at: body.shop))
        // A retry of an answered request passes, even if its sender no longer works at any shop.
        if try !resources.service.isAnswered(caller) { try requireMerchant(account) }
        let budget = resources.budgets[.redemptionCodes]
        let isBegun = try await resources.begin(account, of: budget, for: caller)
        var hasFailed = false
        defer { if isBegun { budget.end(account, failed: hasFailed) } }
        do {
            guard let code else { throw try resources.refusal(.redemptionNotValid, of: caller) }
            return try await resources.service.redeem(ShownReward(code, at: body.shop, to: caller))
        } catch {
            hasFailed = try isGuess(body, refusedBy: error)
            throw error
        }
    }

    /// A code that was once valid is no guess: concurrent requests may race for one code, and a customer may show a previous one.
    private func isGuess(_ body: RedemptionRequest, refusedBy error: any Error) throws -> Bool {
        guard Problem(error).code == .redemptionNotValid else { return false }
        guard let code = ShownCode.code(in: body.code, .redemption) else { return true }
        return try !resources.service.wasGood(code)
    }

    private func redeemed(_ acceptance: Acceptance) throws -> Response {
        guard let fact = acceptance.facts.last, let id = fact.event.handedOut,
            let card = acceptance.cards.first(where: { $0.id == fact.event.card })
        else { throw Resources.missingFact(acceptance) }
        let redemption = try resources.existing(through: acceptance.position) { try $0.redemption(id) }
        let answer = RewardAnswer(
            redemption: answer(redemption, card, at: fact.time), card: try resources.service.opened(card),
            reasons: try resources.reasons(of: [card]),
            position: acceptance.position)
        let location = "/v1/redemptions/" + id.text
        return .written(.created, for: acceptance, location: location, answer)
    }

    private func answer(_ redemption: Redemption, _ card: Card, at time: Instant) -> RedemptionAnswer {
        let status = redemption.status(at: time, of: card)
        return RedemptionAnswer(redemption: redemption, status: status)
    }

    private func reverse(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let id = try context.id(Redemption.self)
        let reason = try await request.json { $0.string("reason") }
        let sender = RequestSender(write.caller("POST /v1/redemptions/reversal", id, reason))
        let acceptance = try await resources.service.reverse(id, reason: reason, by: sender.caller)
        return .written(.ok, for: acceptance, try answer(id, at: acceptance, by: sender))
    }

    /// The state right after the reversal; the present state if the reward was taken back before.
    private func answer(_ id: RedemptionID, at acceptance: Acceptance, by sender: RequestSender) throws -> RewardAnswer {
        let redemption = try resources.existing(through: acceptance.position) { try $0.redemption(id) }
        let card = try resources.existing(through: acceptance.position) { try $0.card(redemption.card) }
        let time = resources.time(of: acceptance, by: sender)
        let status = redemption.status(at: time, of: card)
        return RewardAnswer(
            redemption: RedemptionAnswer(redemption: redemption, status: status), card: try resources.service.opened(card).aged(to: time),
            reasons: try resources.reasons(of: [card]), position: acceptance.position)
    }

    /// Only staff redeem codes.
    private func requireMerchant(_ account: AccountID) throws {
        guard try resources.service.reading({ try $0.worksSomewhere(account) }) else { throw Problem(.forbidden) }
    }

    private static func code(_ body: RedemptionRequest) throws -> TypedCode {
        guard let code = ShownCode.code(in: body.code, .redemption) else { throw Problem(.redemptionNotValid) }
        return code
    }

    /// All spellings of a code have the same content; other texts are taken literally.
    private static func canonical(_ code: TypedCode?, typed: String, at shop: NamedShop?) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/redemptions")
        if let code { request.add(code.bits) } else { request.add(typed) }
        request.add(shop: shop)
        return request
    }
}

/// The body of `POST /redemptions` and its preview.
struct RedemptionRequest: Sendable {
    let code: String
    /// Optional if the caller works at the campaign's own shop, which is then meant, or at only one other.
    let shop: NamedShop?

    init(_ fields: inout FieldReader) {
        code = fields.string("code")
        shop = fields.optionalShop("shop")
    }
}

struct RedemptionAnswer: JSONRecord {
    let redemption: Redemption
    let status: RedemptionStatus

    var fields: JSONFields {
        [
            "id": redemption.id, "status": status.rawValue, "card": redemption.card, "campaign": redemption.campaign,
            "shop": redemption.redeemedBy ?? redemption.shop, "milestone": IfPresent(redemption.milestone),
            "requestedAt": redemption.requestedAt, "redeemedAt": IfPresent(redemption.redeemedAt), "expiresAt": redemption.expiresAt,
        ]
    }
}

/// The answer to a redemption, its preview or its reversal.
struct RewardAnswer: JSONRecord {
    let redemption: RedemptionAnswer
    let card: Card
    let reasons: [UInt64: String]
    /// Nil for a preview, which adds nothing to the log.
    let position: Position?

    /// Nil if the whole card is redeemed.
    private var reward: TypedText? { redemption.redemption.milestone.flatMap { card.terms.milestones[at: $0]?.reward } }

    var fields: JSONFields {
        [
            "redemption": redemption, "card": CardAnswer(card: card, reasons: reasons), "reward": (reward ?? card.reward).open ?? "",
            "position": IfPresent(position?.rawValue),
        ]
    }
}

extension Resources {
    /// A redemption as its holder and the shop see it. A pending code that every counter would refuse, such as of an erased holder or a
    /// closed shop, counts as expired; see ``Redeem``.
    func redemptionAnswer(_ redemption: Redemption, of card: Card, at now: Instant) throws -> RedemptionAnswer {
        let status = redemption.status(at: now, of: card)
        guard status == .pending else { return RedemptionAnswer(redemption: redemption, status: status) }
        let holder = try service.reading { try $0.account(redemption.holder) }
        let isOver = try service.reading { try $0.shop(redemption.shop) }?.handsOutRewards(at: now) == false
        let isRefused = try isOver || holder?.isSuspended != false || isStaff(redemption.holder, of: redemption.campaign)
        return RedemptionAnswer(redemption: redemption, status: isRefused ? .expired : .pending)
    }
}

extension LoyaltyEvent {
    var handedOut: RedemptionID? {
        switch self {
        case .cardRedeemed(let event): event.redemption
        case .milestoneRedeemed(let event): event.redemption
        default: nil
        }
    }
}
