import Audit
import CommandService
import Composition
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import TextMessages

/// The routes with which operators search and suspend accounts, suspend shops, correct cards, replace lost phone numbers and read the
/// auditor's findings. The log has a
/// hash of the content to which an idempotency key is bound, so this content leaves the phone number out.
struct OperatorRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/admin/accounts/search", search), .put("/v1/admin/accounts/{id}/phone", change),
            act(.put, "/v1/admin/accounts/{id}/suspension", service.suspendAccount),
            act(.delete, "/v1/admin/accounts/{id}/suspension", service.reinstateAccount),
            act(.post, "/v1/admin/shops/{id}/suspension", service.suspendShop),
            act(.delete, "/v1/admin/shops/{id}/suspension", service.reinstateShop),
            suspension("/v1/admin/accounts/{id}/suspension") { [service] (id: AccountID) in try service.suspension(of: id) },
            suspension("/v1/admin/shops/{id}/suspension") { [service] (id: ShopID) in try service.suspension(of: id) },
            .post("/v1/admin/cards/{id}/adjustments", adjust),
            .get("/v1/admin/audit", audit),
        ]
    }

    private var service: GreenTea { resources.service }

    /// `POST /admin/accounts/search`. Every search is recorded, also a retry or one that finds nothing.
    private func search(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admitOperator(request)
        let phone = try resources.number(of: try await request.json { $0.phone() }.typed())
        try resources.budgets[.operatorActs].take(bearer.account)
        let (found, acceptance) = try await service.searchAccount(phone, by: Caller(account: bearer.account))
        let item = try found.map { account in
            try resources.accountAnswer(account.id).publicFields
                + ["registeredAt": account.registeredAt, "isSuspended": account.isSuspended]
        }
        let page = Page(items: item.map { [$0] } ?? [], next: nil)
        return Response.written(.ok, for: acceptance, page).unstored()
    }

    /// A route that suspends or, by `DELETE` and perhaps without a reason, reinstates.
    private func act<Noun: Identified & SendableMetatype>(
        _ method: HTTPRequest.Method, _ path: String,
        _ act: @escaping @Sendable (ID<Noun>, _ reason: String, _ caller: Caller) async throws -> Acceptance
    ) -> Route {
        Route(method: method, path: path) { [resources] request, context in
            let write = try await resources.operatorWrite(request)
            let id = try context.id(Noun.self)
            let reason =
                method == .delete
                ? try await request.optionalJSON { $0.optionalString("reason") } ?? "" : try await request.json { $0.string("reason") }
            let acceptance = try await act(id, reason, write.caller(Route.operation(method, path), id, reason))
            resources.dropSessions(endedBy: acceptance)
            return .done(acceptance)
        }
    }

    /// A route that answers why something is suspended.
    private func suspension<Noun: Identified & SendableMetatype>(
        _ path: String, _ find: @escaping @Sendable (ID<Noun>) throws -> Suspension?
    ) -> Route {
        .get(path) { [resources] request, context in
            _ = try await resources.gate.admitOperator(request)
            let id = try context.id(Noun.self)
            try await resources.awaitPosition(of: request)
            guard let found = try find(id) else { throw Problem(.notFound) }
            let answer: JSONFields = ["at": found.at, "reason": found.reason]
            return Response.ok(answer).unstored()
        }
    }

    private func adjust(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.operatorWrite(request)
        let id = try context.id(Card.self)
        let body = try await request.json { (stamps: $0.int("stamps"), reason: $0.string("reason")) }
        let adjustment = AdjustCard(
            card: id, expected: EntityTag.optional(in: request) ?? .any, stamps: body.stamps, reason: .clear(body.reason))
        let caller = write.caller("POST /v1/admin/cards/adjustments", id, body.stamps, body.reason)
        let acceptance = try await resources.service.adjustCard(adjustment, by: caller)
        guard let card = acceptance.cards.first else { throw Resources.missingFact(acceptance) }
        let shown = CardAnswer(card: try resources.service.opened(card), reasons: try resources.reasons(of: [card]))
        let answer: JSONFields = ["card": shown, "position": acceptance.position]
        return Response.written(.created, for: acceptance, location: "/v1/cards/" + id.text, answer).tagged(card.version)
    }

    /// `PUT /admin/accounts/{id}/phone`. The message to the present number is sent before anything is recorded, so that its holder learns
    /// of every change that begins.
    private func change(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.operatorWrite(request)
        let id = try context.id(Account.self)
        let body = try await request.json { fields in
            let body = (phone: fields.phone(), reason: fields.string("reason"))
            if let fault = Loyalty.Limits.reason.fault(in: body.reason) { fields.complain("reason", .rule(fault)) }
            return body
        }
        let caller = write.caller("PUT /v1/admin/accounts/phone", id, body.reason)
        let phone = try resources.typed(body.phone, by: caller).number
        // Otherwise a concurrent retry would send another message, and not be compared with the first request's number.
        try await resources.turns.begin(caller)
        defer { resources.turns.end(caller) }
        let isAnswered = try service.isAnswered(caller)
        if !isAnswered { try resources.budgets[.operatorActs].take(write.account) }
        let acceptance = try await service.requestPhoneChange(of: id, to: phone, reason: body.reason, by: caller) {
            try await notify($0, of: phone, request)
        }
        // An earlier change that was due was recorded first and ended older sessions, so their access tokens are forgotten.
        resources.dropSessions(endedBy: acceptance)
        guard case .phoneChangeRequested(let event) = acceptance.facts.lazy.map(\.event).first(where: \.isPhoneRequest) else {
            throw Resources.missingFact(acceptance)
        }
        let answer = ComingPhoneAnswer(number: phone.text, holdsAt: event.holdsAt)
        return Response.written(.ok, for: acceptance, answer).unstored()
    }

    private func notify(_ present: E164Number, of phone: E164Number, _ request: Request) async throws {
        guard let sender = resources.configuration.messages else { return }
        let text = PhoneChangeText.text(ComingPhoneAnswer.masked(phone.text))
        do {
            try await sender.send(TextMessage(id: service.messageID(), phone: present.text, text: text))
        } catch {
            throw Problem.unsent(error)
        }
    }

    private func audit(_ request: Request, _ context: APIContext) async throws -> Response {
        _ = try await resources.gate.admitOperator(request)
        return Response.ok(AuditAnswer(status: resources.configuration.audit?())).unstored()
    }
}

extension LoyaltyEvent {
    fileprivate var isPhoneRequest: Bool { if case .phoneChangeRequested = self { true } else { false } }
}

/// In both languages, because the reader's is unknown.
enum PhoneChangeText {
    static func text(_ number: String) -> String {
        let hours = Loyalty.Limits.phoneChangeSeconds / 3_600
        return "【GreenTea】您的账号将在 \(hours) 小时后改用号码 \(number)。如非本人申请，请登录后取消。 "
            + "Your account will use the number \(number) in \(hours) hours. If you did not ask for this, sign in and object."
    }
}

struct AuditAnswer: JSONRecord {
    /// Nil without an auditor.
    let status: AuditStatus?

    var fields: JSONFields {
        [
            "isRunning": status != nil, "runs": status?.runs ?? 0, "lastSeconds": status?.lastSeconds,
            "models": (status?.models ?? []).map(Self.fields),
        ]
    }

    private static func fields(_ model: AuditedModel) -> JSONFields {
        [
            "name": model.name, "position": model.position, "state": state(of: model),
            "mismatch": model.mismatch.map { String(describing: $0) }, "diagnosis": model.diagnosis.map { String(describing: $0) },
            "failure": model.failure,
        ]
    }

    private static func state(of model: AuditedModel) -> String {
        if model.mismatch != nil { return "different" }
        if model.failure != nil { return "failed" }
        return model.position == nil ? "pending" : "equal"
    }
}
