import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Routes of an account's phone number: changing the number, and objecting to a change that an operator requested.
struct PhoneRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.put("/v1/me/phone", change), .delete("/v1/me/phone/change", object)] }

    /// `PUT /me/phone`. If the number belongs to another account, the answer is the same as for a wrong code.
    private func change(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        // The codes were sent to the new number and to the present one.
        let body = try await request.json {
            (phone: $0.phone(), code: $0.string("code"), currentCode: $0.optionalString("currentCode"))
        }
        // The number is left out of the hashed content, because the log must not contain a hash of it. Retries are compared with the number
        // that the log stores sealed.
        let caller = write.caller("PUT /v1/me/phone")
        let phone = try resources.typed(body.phone, by: caller)
        // The first request may have used up the codes and not be accepted yet.
        try await resources.turns.begin(caller)
        defer { resources.turns.end(caller) }
        // A due change by an operator ends all sessions, also this one, which may be on the lost phone.
        if let due = try await resources.service.completePhoneChange(ofSession: write.bearer.session) {
            resources.dropSessions(endedBy: due)
            throw Problem(.unauthenticated)
        }
        if body.currentCode == nil, !resources.service.isFresh(write.bearer.session), try !resources.service.isAnswered(caller) {
            throw Problem.invalid("currentCode", .requiredCurrentCode)
        }
        let network = context.limitedAddress?.site ?? .unknown
        // The closure runs even if the key store then fails, because the recorded event has already ended the sessions.
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

    /// Wrong codes use up the budget, and so do changes, because each adds a permanent event.
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

    /// `DELETE /me/phone/change`.
    private func object(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        return .done(try await resources.service.objectToPhoneChange(by: write.caller("DELETE /v1/me/phone/change")))
    }
}

/// A number requested by an operator, as the holder sees it. Its middle is hidden, because the phone that shows it may be a lost one.
struct ComingPhoneAnswer: JSONRecord {
    private static let shownBefore = 4
    private static let shownAfter = 3

    let number: String
    let holdsAt: Instant

    var fields: JSONFields { ["phone": Self.masked(number), "holdsAt": holdsAt] }

    /// A short number hides half of its digits.
    static func masked(_ number: String) -> String {
        let hidden = max(number.count - shownBefore - shownAfter, number.count / 2)
        let shown = number.count - hidden
        let after = min(shownAfter, shown / 2)
        return number.prefix(shown - after) + String(repeating: "*", count: hidden) + number.suffix(after)
    }
}
