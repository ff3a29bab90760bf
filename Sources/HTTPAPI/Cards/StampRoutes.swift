import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes of stamp codes: shops issue and destroy them, customers enter them, and shops take the stamps back. An invalid code counts as
/// a guess and uses up the account's budget, unless it was used before: concurrent requests may race for one code. An unused code that
/// expired or was destroyed is a guess.
struct StampRoutes: RouteGroup {
    private static let stampsDefault = 1

    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/stamps", stamp), .post("/v1/stamps/{position}/reversal", reverse), .post("/v1/campaigns/{id}/codes", issue),
            .get("/v1/codes/{id}", code), resources.act(.delete, "/v1/codes/{id}") { .destroyCode(DestroyCode(code: try $0.id())) },
        ]
    }

    /// A code's refusals in order, behind those of every request (`API.router`):
    ///
    /// 1. ``Resources/write(_:requiresKey:)``: the session, the account's rate, the idempotency key.
    /// 2. The JSON, and the form of `campaign`.
    /// 3. ``enter(_:_:_:)``: ten wrong codes within ten minutes, unless the request was accepted before; a key of another request; the
    ///    code's form.
    /// 4. `GreenTea.submit`: a node that does not write, a damaged log, a full queue.
    /// 5. `CommandDecider`: an accepted request gets its first answer again; a key of another request, once more.
    /// 6. `Stamp.decide(_:for:at:)` lists the rules.
    private func stamp(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request, requiresKey: true)
        let (code, named) = try await request.json { ($0.string("code"), $0.optionalString("campaign")) }
        let campaign = try named.map(Self.campaign)
        let acceptance = try await enter(code, campaign, write)
        let location = acceptance.cards.first.map { "/v1/cards/" + $0.id.text }
        return .written(.created, for: acceptance, location: location, try answer(acceptance))
    }

    /// `POST /stamps/{position}/reversal`.
    private func reverse(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let position = try context.position()
        let (reason, stamps) = try await request.json { ($0.string("reason"), $0.optionalInt("stamps")) }
        var canonical = CanonicalRequest("POST /v1/stamps/reversal", UInt128(position.rawValue), reason)
        // A repeated part would be a further part.
        if stamps != nil, !write.hasKey { throw Problem(.idempotencyKeyRequired) }
        // Added only if present, so that a request without it has the same content as before the field existed.
        if let stamps { canonical.add(stamps) }
        let caller = write.caller(canonical)
        let acceptance = try await resources.service.reverseStamp(at: position, stamps: stamps, reason: reason, by: caller)
        return .written(.ok, for: acceptance, try answer(acceptance))
    }

    private func answer(_ acceptance: Acceptance) throws -> StampAnswer {
        let cards = try acceptance.cards.map { try resources.service.opened($0) }
        return StampAnswer(acceptance: acceptance, cards: cards, reasons: try resources.reasons(of: acceptance.cards))
    }

    private func issue(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let campaign = try context.id(Campaign.self)
        // The count is absent for a single code; the shop, for the only one where the caller works, or the campaign's own.
        let body = try await request.optionalJSON {
            (
                count: $0.optionalInt("count"), stamps: $0.optionalInt("stamps"), validFor: $0.optionalInt("validFor"),
                shop: $0.optionalShop("shop")
            )
        }
        let stamps = body.stamps ?? Self.stampsDefault
        let validFor = body.validFor ?? Loyalty.Limits.codeValiditySecondsDefault
        var canonical = CanonicalRequest("POST /v1/campaigns/codes", campaign, stamps, validFor)
        // The count is added only if present, so that a request without it has the same content as before the field existed.
        if let count = body.count { canonical.add(count) }
        canonical.add(shop: body.shop)
        let (service, caller) = (resources.service, write.caller(canonical))
        let place = CampaignPlace(campaign, at: body.shop)
        if let count = body.count {
            let command = service.issuingStrip(place, count: count, stamps: stamps, validFor: validFor)
            return strip(try await resources.counted(.strips, by: caller) { try await service.issue(command, by: caller) })
        }
        let acceptance = try await service.issue(service.issuing(place, stamps: stamps, validFor: validFor), by: caller)
        guard case .codeIssued(let event) = acceptance.facts.last?.event else { throw Resources.missingFact(acceptance) }
        return Response.written(.created, for: acceptance, location: "/v1/codes/" + event.code.text, answer(event)).unstored()
    }

    /// Several codes at once.
    private func strip(_ acceptance: Acceptance) -> Response {
        let codes = acceptance.facts.compactMap { fact -> JSONFields? in
            if case .codeIssued(let event) = fact.event { answer(event) } else { nil }
        }
        return Response.written(.created, for: acceptance, Page(items: codes, next: nil)).unstored()
    }

    private func answer(_ issued: CodeIssued) -> JSONFields {
        ShownCode(resources.service.stampCode(of: issued), .stamp, publicURL: resources.publicURL)
            .fields(id: issued.code, expiresAt: issued.expiresAt)
    }

    private func code(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Code.self)
        try await resources.awaitPosition(of: request)
        let code = try resources.existing { try $0.code(id) }
        let shop = try resources.existing { try $0.shop(code.shop) }
        // Only the shop's owner and staff may learn that the code exists.
        guard shop.employs(bearer.account) else { throw Problem(.notFound) }
        let home = try code.home.map { id in try resources.existing { try $0.shop(id) } }
        return .ok(code.fields(status: code.status(at: resources.now, of: shop, home: home)))
    }

    /// - Parameter campaign: to which the code must belong; nil for any.
    private func enter(_ typed: String, _ campaign: CampaignID?, _ write: Write) async throws -> Acceptance {
        // A text that cannot be a code is answered like one that was never issued.
        let code = ShownCode.code(in: typed, .stamp)
        let caller = write.caller(Self.canonical(code, typed: typed, campaign))
        let budget = resources.budgets[.stampCodes]
        let isBegun = try await resources.begin(write.account, of: budget, for: caller)
        var hasFailed = false
        defer { if isBegun { budget.end(write.account, failed: hasFailed) } }
        do {
            guard let code else { throw try resources.refusal(.codeNotValid, of: caller) }
            return try await resources.service.stamp(code, campaign: campaign, by: caller)
        } catch {
            if Problem(error).code == .codeNotValid { hasFailed = try isGuess(code) }
            throw error
        }
    }

    /// A used code is no guess, because several requests may have raced for it.
    private func isGuess(_ code: TypedCode?) throws -> Bool {
        guard let code else { return true }
        return try !resources.service.wasUsed(stampCode: code)
    }

    private static func campaign(_ text: String) throws -> CampaignID {
        guard let id = CampaignID(text: text) else { throw Problem(.notFound) }
        return id
    }

    /// All spellings of a code have the same content; other texts are taken literally.
    private static func canonical(_ code: TypedCode?, typed: String, _ campaign: CampaignID?) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/stamps")
        if let code { request.add(code.bits) } else { request.add(typed) }
        if let campaign { request.add(campaign.value) }
        return request
    }
}

/// The cards that an entered or reversed code changed.
struct StampAnswer: JSONWritable {
    let acceptance: Acceptance
    let cards: [Card]
    /// By event position.
    let reasons: [UInt64: String]

    /// Over all cards; negative for a reversal.
    private var added: Int {
        acceptance.facts.reduce(0) { sum, fact in
            switch fact.event {
            case .cardStamped(let event): sum + event.stamps
            case .stampReversed(let event): sum - event.stamps
            case .paperStampReversed(let event): sum - event.stamps
            default: sum
            }
        }
    }

    func write(to json: inout JSONWriter) {
        json.object {
            // In the order in which the command changed them.
            let cards = cards.map { JSONWriter.written(CardAnswer(card: $0, reasons: reasons)) }
            if let first = cards.first { $0.field("card", first) }
            $0.field("cards", cards)
            $0.field("added", added)
            $0.field("position", acceptance.position)
            if let last = acceptance.facts.last { $0.field("at", last.time) }
        }
    }
}

extension Code {
    /// A stamp code as its shop sees it, without the text, which only the issuing answer contains. Lists also name the issuer.
    func fields(status: CodeStatus, isListed: Bool = false) -> JSONFields {
        let state: JSONFields = ["id": id, "campaign": campaign, "shop": shop, "status": status.rawValue, "stamps": stamps]
        return state + (isListed ? ["staff": issuer, "issuedAt": issuedAt] : [:]) + ["expiresAt": expiresAt]
    }
}
