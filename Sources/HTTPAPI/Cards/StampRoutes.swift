import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// The routes by which customers collect stamps and shops take stamps back.
///
/// A code that is refused as invalid counts as a guess, which uses up the account's budget, unless the code was used before. So if many
/// requests of one account race for one code, none of them uses up the budget. An unused code that has expired or was destroyed counts as a
/// guess.
struct StampRoutes {
    let resources: Resources

    var routes: [Route] { [.post("/v1/stamps", stamp), .post("/v1/stamps/{position}/reversal", reverse)] }

    private func stamp(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request, requiresKey: true)
        let body = try await request.json(StampRequest.self)
        let campaign = try body.campaign.map(Self.campaign)
        let acceptance = try await enter(body.code, campaign, write)
        let location = acceptance.cards.first.map { "/v1/cards/" + $0.id.text }
        return .written(.created, for: acceptance, location: location, try answer(acceptance))
    }

    /// Takes back the stamps of a code, for the shop (`POST /stamps/{position}/reversal`).
    private func reverse(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let position = try context.position()
        let reason = try await request.json(ReasonRequest.self).reason
        let caller = write.caller("POST /v1/stamps/reversal", UInt128(position.rawValue), reason)
        let acceptance = try await resources.service.reverseStamp(at: position, reason: reason, by: caller)
        return .written(.ok, for: acceptance, try answer(acceptance))
    }

    private func answer(_ acceptance: Acceptance) throws -> StampAnswer {
        let cards = try acceptance.cards.map { try resources.service.opened($0) }
        return StampAnswer(acceptance: acceptance, cards: cards, reasons: try resources.reasons(of: acceptance.cards))
    }

    /// Enters the code, unless the account that sends it has sent too many wrong codes.
    private func enter(_ typed: String, _ campaign: CampaignID?, _ write: Write) async throws -> Acceptance {
        // A text that cannot be a code is answered like a code that was never issued.
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

    /// Whether a code that was refused as invalid is counted as a guess. A code that was used before is no guess: if several requests race
    /// for one code, each of them held a valid code.
    private func isGuess(_ code: TypedCode?) throws -> Bool {
        guard let code else { return true }
        return try !resources.service.wasUsed(stampCode: code)
    }

    private static func campaign(_ text: String) throws -> CampaignID {
        guard let id = CampaignID(text: text) else { throw Problem(.notFound) }
        return id
    }

    /// The content by which a retry of the request is recognised. All spellings of a code have the same content; a text that is not a code
    /// is taken literally.
    private static func canonical(_ code: TypedCode?, typed: String, _ campaign: CampaignID?) -> CanonicalRequest {
        var request = CanonicalRequest("POST /v1/stamps")
        if let code { request.add(code.bits) } else { request.add(typed) }
        if let campaign { request.add(campaign.value) }
        return request
    }
}

/// The body of `POST /stamps`.
struct StampRequest: JSONReadable {
    /// The typed or scanned code.
    let code: String
    /// The id of the campaign that the code must belong to; nil if the code may belong to any campaign.
    let campaign: String?

    init(_ fields: inout FieldReader) {
        code = fields.string("code")
        campaign = fields.optionalString("campaign")
    }
}

/// The answer to a stamp code that was entered, or whose stamps were taken back: the cards that this changed.
struct StampAnswer: JSONWritable {
    let acceptance: Acceptance
    /// The cards that the command changed, with their texts decrypted.
    let cards: [Card]
    /// The reasons of entries of the cards' histories, by the position of each entry's event.
    let reasons: [UInt64: String]

    /// The sum of the stamps that were added to all cards; negative for a reversal.
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
            // The cards are in the order in which the command changed them, so the first card is the one that was stamped or reduced first.
            let cards = cards.map { JSONWriter.written(CardAnswer(card: $0, reasons: reasons)) }
            if let first = cards.first { $0.field("card", written: first) }
            $0.array("cards", cards) { $0.value(written: $1) }
            $0.field("added", added)
            $0.field("position", acceptance.position.rawValue)
            if let last = acceptance.facts.last { $0.field("at", last.time) }
        }
    }
}
