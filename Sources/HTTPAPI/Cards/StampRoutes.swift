import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes by which customers collect stamps and shops take them back. An invalid code counts as a guess and uses up the account's
/// budget, unless it was used before: concurrent requests may race for one code. An unused code that expired or was destroyed is a guess.
struct StampRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.post("/v1/stamps", stamp), .post("/v1/stamps/{position}/reversal", reverse)] }

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
        let reason = try await request.json { $0.string("reason") }
        let caller = write.caller("POST /v1/stamps/reversal", UInt128(position.rawValue), reason)
        let acceptance = try await resources.service.reverseStamp(at: position, reason: reason, by: caller)
        return .written(.ok, for: acceptance, try answer(acceptance))
    }

    private func answer(_ acceptance: Acceptance) throws -> StampAnswer {
        let cards = try acceptance.cards.map { try resources.service.opened($0) }
        return StampAnswer(acceptance: acceptance, cards: cards, reasons: try resources.reasons(of: acceptance.cards))
    }

    /// Refused after too many wrong codes.
    ///
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
