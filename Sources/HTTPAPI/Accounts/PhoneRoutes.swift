import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes of an account's phone number: changing the number, and objecting to a change that an operator requested.
struct PhoneRoutes {
    let resources: Resources

    var routes: [Route] { [.put("/v1/me/phone", change), .delete("/v1/me/phone/change", object)] }

    /// Changes the account's phone number (`PUT /me/phone`). If the new number belongs to another account, the answer is the same as for a
    /// wrong code.
    private func change(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let body = try await request.json(PhoneRequest.self)
        // The number is left out of the content by which a retry is recognised, because the log must not contain a hash of a phone number.
        // To recognise a retry, the service compares the numbers, which the log stores sealed.
        let caller = write.caller("PUT /v1/me/phone")
        let phone = try resources.typed(body.phone, by: caller)
        // A retry waits while the first request runs, because the first may have used up the codes and not be accepted yet.
        try await resources.turns.begin(caller)
        defer { resources.turns.end(caller) }
        // A change that an operator requested may be due. If it is, it is recorded here and ends all sessions of the account, also this
        // one, which may be on the lost phone.
        if let due = try await resources.service.completePhoneChange(ofSession: write.bearer.session) {
            resources.dropSessions(endedBy: due)
            throw Problem(.unauthenticated)
        }
        if body.currentCode == nil, !resources.service.isFresh(write.bearer.session), try !resources.service.isAnswered(caller) {
            throw Problem.invalid("currentCode", .requiredCurrentCode)
        }
        let network = resources.limitedAddress(of: request, context)?.site ?? .unknown
        // The closure forgets the other sessions even if the key store then fails, because the recorded event has already ended them.
        let change = PhoneChange(
            to: phone.number, former: phone.former, code: body.code, currentCode: body.currentCode, keeping: write.bearer.session,
            from: network
        ) { [resources] in resources.dropSessions(endedBy: $0) }
        let acceptance = try await self.change(change, caller)
        let position = acceptance.position
        let time = resources.time(of: acceptance, by: RequestSender(caller))
        let answer = try resources.accountAnswer(write.account, through: position, at: time)
        return Response.written(.ok, for: acceptance, answer).tagged(answer.version)
    }

    /// Changes the number within the account's budget. Wrong codes use up the budget, and so do changes, because each change adds a
    /// permanent event.
    private func change(_ change: PhoneChange, _ caller: Caller) async throws -> Acceptance {
        let budget = resources.budgets[.phoneChanges]
        let isBegun = try await resources.begin(caller.account, of: budget, for: caller)
        var isCounted = false
        defer { if isBegun { budget.end(caller.account, failed: isCounted) } }
        do {
            let acceptance = try await resources.service.changePhone(change, by: caller)
            isCounted = !acceptance.isReplay
            return acceptance
        } catch {
            isCounted = error == .rejected(.passwordNotValid)
            throw error
        }
    }

    /// Objects to the change that an operator requested (`DELETE /me/phone/change`).
    private func object(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        return .done(try await resources.service.objectToPhoneChange(by: write.caller("DELETE /v1/me/phone/change")))
    }
}

/// The body of `PUT /me/phone`.
struct PhoneRequest: JSONReadable {
    let phone: PhoneField
    /// The code sent to the new number.
    let code: String
    /// The code sent to the present number. It may be absent if the session was begun with a code less than ten minutes ago, and in a
    /// retry.
    let currentCode: String?

    init(_ fields: inout FieldReader) {
        phone = fields.phone()
        code = fields.string("code")
        currentCode = fields.optionalString("currentCode")
    }
}

/// The new phone number that an operator requested for an account, as the account's holder sees it. The middle of the number is hidden,
/// because the phone that shows it may be one that the holder has lost.
struct ComingPhoneAnswer: JSONObject {
    private static let shownBefore = 4
    private static let shownAfter = 3

    let number: String
    let holdsAt: Instant

    func writeFields(to json: inout JSONWriter) {
        json.field("phone", Self.masked(number))
        json.field("holdsAt", holdsAt)
    }

    /// The number with its middle hidden. If the number is short, half of its digits are hidden.
    static func masked(_ number: String) -> String {
        let hidden = max(number.count - shownBefore - shownAfter, number.count / 2)
        let shown = number.count - hidden
        let after = min(shownAfter, shown / 2)
        return number.prefix(shown - after) + String(repeating: "*", count: hidden) + number.suffix(after)
    }
}
