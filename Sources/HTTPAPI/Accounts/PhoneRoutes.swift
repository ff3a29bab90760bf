import CommandService
import Composition
import Hummingbird
import Loyalty
import PhoneNumbers

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

/// A phone number as typed: the field `phone`, with `region` beside it. A retry is recognised by the text, because newer numbering plans
/// may read it as another number.
struct PhoneField: Hashable, Sendable {
    let text: String
    let region: PhoneRegion?

    /// - Throws: `invalidRequest` for a text that is no number, by numbering plans or by its digits alone.
    func typed() throws(Problem) -> TypedPhone {
        guard let typed = TypedPhone(text, region: region) else { throw Self.refused }
        return typed
    }

    func number() throws(Problem) -> E164Number {
        let typed = try typed()
        guard typed.isPossible else { throw Self.refused }
        return typed.number
    }

    static let refused = Problem.invalid("phone", .form(.phone))
}

extension FieldReader {
    mutating func phone() -> PhoneField {
        let text = string("phone")
        return PhoneField(text: text, region: region())
    }

    mutating func optionalPhone() -> PhoneField? {
        let (text, region) = (optionalString("phone"), region())
        return text.map { PhoneField(text: $0, region: region) }
    }

    mutating func editedPhone() -> PhoneField? {
        let (text, region) = (editedString("phone"), region())
        return text.map { PhoneField(text: $0, region: region) }
    }

    private mutating func region() -> PhoneRegion? {
        guard let text = optionalString("region") else { return nil }
        let region = PhoneRegion(text)
        if region == nil { complain("region", .form(.region)) }
        return region
    }
}

extension CanonicalRequest {
    /// Without a region, the content stays as before regions existed.
    mutating func add(regionOf phone: PhoneField?) { if let region = phone?.region { add("region " + region.code) } }
}

extension Resources {
    /// The number that a request names. A retry passes with any number, because older numbering plans may have accepted it.
    func typed(_ phone: PhoneField, by caller: Caller) throws -> TypedPhone {
        let typed = try phone.typed()
        guard try typed.isPossible || service.isAnswered(caller) else { throw PhoneField.refused }
        return typed
    }

    func number(of typed: TypedPhone) throws -> E164Number { try service.number(of: typed) ?? typed.number }

    /// A shop's phone number in a request; an unchanged number may have any form.
    ///
    /// - Returns: an empty text for an impossible number. The decision refuses it together with other invalid fields.
    func shopPhone(_ phone: PhoneField, by caller: Caller, present: () throws -> String? = { nil }) throws -> String {
        if let number = try? phone.number() { return number.text }
        return try service.isAnswered(caller) || present() == phone.text ? phone.text : ""
    }
}
