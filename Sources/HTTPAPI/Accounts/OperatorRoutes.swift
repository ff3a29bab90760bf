import Audit
import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import TextMessages

/// The routes with which operators find and suspend people's accounts and replace lost phone numbers, and the route of the auditor's
/// findings.
///
/// Each search and each change adds an event. The log contains a hash of the content to which an idempotency key is bound. It must not
/// contain a hash of a phone number, so the number is left out of that content.
struct OperatorRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/admin/accounts/search", search), .put("/v1/admin/accounts/{id}/suspension", suspend),
            .delete("/v1/admin/accounts/{id}/suspension", reinstate), .put("/v1/admin/accounts/{id}/phone", change),
            .get("/v1/admin/audit", audit),
        ]
    }

    private var service: GreenTea { resources.service }

    /// Finds the account of a phone number (`POST /admin/accounts/search`). Each search is recorded, whether or not it finds an account,
    /// and a retry is recorded as another search.
    private func search(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admitOperator(request)
        let body = try await request.json(VerificationRequest.self)
        let phone = try resources.number(of: body.phone.typed())
        try resources.budgets[.operatorActs].take(bearer.account)
        let (found, acceptance) = try await service.searchAccount(phone, by: Caller(account: bearer.account))
        let item = try found.map { account in
            FoundAccountAnswer(
                account: try resources.accountAnswer(account.id), registeredAt: account.registeredAt, isSuspended: account.isSuspended)
        }
        let page = Page(items: item.map { [$0] } ?? [], next: nil)
        return Response.written(.ok, for: acceptance, page).unstored()
    }

    private func suspend(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.operatorWrite(request)
        let account = try context.id(Account.self)
        let reason = try await request.json(ReasonRequest.self).reason
        let caller = write.caller("PUT /v1/admin/accounts/suspension", account, reason)
        let acceptance = try await service.suspendAccount(account, reason: reason, by: caller)
        resources.dropSessions(endedBy: acceptance)
        return .done(acceptance)
    }

    private func reinstate(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.operatorWrite(request)
        let account = try context.id(Account.self)
        let reason = try await request.optionalJSON(ReinstatementRequest.self).reason ?? ""
        let caller = write.caller("DELETE /v1/admin/accounts/suspension", account, reason)
        return .done(try await service.reinstateAccount(account, reason: reason, by: caller))
    }

    /// Requests another phone number for an account (`PUT /admin/accounts/{id}/phone`). The text message to the present number is sent
    /// before anything is recorded, so that the number's holder learns of every change that begins.
    private func change(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.operatorWrite(request)
        let id = try context.id(Account.self)
        let body = try await request.json(PhoneReasonRequest.self)
        let caller = write.caller("PUT /v1/admin/accounts/phone", id, body.reason)
        let phone = try resources.typed(body.phone, by: caller).number
        // A retry waits while the first request runs. Otherwise it would send another message, and would not be compared with the number of
        // the first request.
        try await resources.turns.begin(caller)
        defer { resources.turns.end(caller) }
        let isAnswered = try service.isAnswered(caller)
        if !isAnswered { try resources.budgets[.operatorActs].take(write.account) }
        let acceptance = try await service.requestPhoneChange(of: id, to: phone, reason: body.reason, by: caller) {
            try await tell($0, of: phone, request)
        }
        // If an earlier change of the number was due, this command recorded that change first. The recorded change ended the account's
        // older sessions, so their access tokens are forgotten.
        resources.dropSessions(endedBy: acceptance)
        guard case .phoneChangeRequested(let event) = acceptance.facts.lazy.map(\.event).first(where: \.isPhoneRequest) else {
            throw Resources.missingFact(acceptance)
        }
        let answer = ComingPhoneAnswer(number: phone.text, holdsAt: event.holdsAt)
        return Response.written(.ok, for: acceptance, answer).unstored()
    }

    /// Tells the holder of the present number, by text message, that an operator has requested another number.
    private func tell(_ present: E164Number, of phone: E164Number, _ request: Request) async throws {
        guard let sender = resources.configuration.messages else { return }
        let text = PhoneChangeText.text(ComingPhoneAnswer.masked(phone.text))
        do {
            try await sender.send(TextMessage(id: service.messageID(), phone: present.text, text: text))
        } catch {
            throw Problem.unsent(error)
        }
    }

    /// Answers `GET /admin/audit` with the auditor's findings.
    private func audit(_ request: Request, _ context: APIContext) async throws -> Response {
        _ = try await resources.gate.admitOperator(request)
        return Response.ok(AuditAnswer(status: resources.configuration.audit?())).unstored()
    }
}

extension LoyaltyEvent {
    fileprivate var isPhoneRequest: Bool {
        if case .phoneChangeRequested = self { true } else { false }
    }
}

/// The body of `PUT /admin/accounts/{id}/phone`.
struct PhoneReasonRequest: JSONReadable {
    let phone: PhoneField
    let reason: String

    init(_ fields: inout FieldReader) {
        phone = fields.phone()
        reason = fields.string("reason")
        if let fault = Loyalty.Limits.reason.fault(in: reason) { fields.complain("reason", .rule(fault)) }
    }
}

/// The text message to the phone number that will be replaced. The reader's language is unknown, so the text is in both languages.
enum PhoneChangeText {
    static func text(_ number: String) -> String {
        let hours = Loyalty.Limits.phoneChangeSeconds / 3_600
        return "【GreenTea】您的账号将在 \(hours) 小时后改用号码 \(number)。如非本人申请，请登录后取消。 "
            + "Your account will use the number \(number) in \(hours) hours. If you did not ask for this, sign in and object."
    }
}

/// An account as an operator finds it.
struct FoundAccountAnswer: JSONObject {
    let account: AccountAnswer
    let registeredAt: Instant
    let isSuspended: Bool

    func writeFields(to json: inout JSONWriter) {
        account.writeFields(to: &json)
        json.field("registeredAt", registeredAt)
        json.field("isSuspended", isSuspended)
    }
}

/// The auditor's findings, model by model.
struct AuditAnswer: JSONWritable {
    /// The auditor's status; nil if the service runs without an auditor.
    let status: AuditStatus?

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("isRunning", status != nil)
            $0.field("runs", status?.runs ?? 0)
            if let seconds = status?.lastSeconds { $0.field("lastSeconds", seconds) } else { $0.null("lastSeconds") }
            $0.array("models", status?.models ?? []) { json, model in
                json.object {
                    $0.field("name", model.name)
                    if let position = model.position { $0.field("position", position.rawValue) } else { $0.null("position") }
                    $0.field("state", Self.state(of: model))
                    $0.field("mismatch", model.mismatch.map { String(describing: $0) })
                    $0.field("diagnosis", model.diagnosis.map { String(describing: $0) })
                    $0.field("failure", model.failure)
                }
            }
        }
    }

    private static func state(of model: AuditedModel) -> String {
        if model.mismatch != nil { return "different" }
        if model.failure != nil { return "failed" }
        return model.position == nil ? "pending" : "equal"
    }
}
