import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec

/// What an account does to itself: its profile, its password, everything held about it, and its end.
struct AccountRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .patch("/v1/me", edit), .put("/v1/me/password", setPassword),
            .delete("/v1/me/password", removePassword), .get("/v1/me/export", export), .delete("/v1/me", erase),
        ]
    }

    private var service: GreenTea { resources.service }

    /// `If-Match` is honoured where it is sent, and not asked for: nobody else edits a profile.
    private func edit(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let body = try await request.json(ProfileRequest.self)
        try body.check(now: resources.now)
        let caller = resources.caller(bearer, key, body.canonical)
        try requireAvatar(body.draft, of: caller)
        let expected = EntityTag.optional(in: request) ?? .any
        let acceptance = await resources.settled(try await edit(body.draft, expecting: expected, by: caller))
        let answer = try resources.accountAnswer(bearer.account, through: acceptance.position)
        return Response.written(.ok, at: acceptance.position, answer).tagged(answer.version)
    }

    /// Edits are counted; what sets nothing is not.
    private func edit(_ draft: ProfileDraft, expecting expected: ExpectedVersion, by caller: Caller) async throws -> Acceptance {
        let budget = resources.profileBudget
        let isBegun = try await resources.begin(caller.account, of: budget, for: caller)
        var hasChanged = false
        defer { if isBegun { budget.end(caller.account, failed: hasChanged) } }
        let acceptance = try await service.editProfile(draft, expecting: expected, by: caller)
        hasChanged = !acceptance.isReplay && !acceptance.facts.isEmpty
        return acceptance
    }

    private func requireAvatar(_ draft: ProfileDraft, of caller: Caller) throws {
        guard case .set(let avatar) = draft.avatar else { return }
        try resources.requireNameable([avatar], in: "avatar", of: caller) {
            guard let account = try service.reading({ try $0.account(caller.account) }) else { return [] }
            return [try service.profile(of: account).avatar].compactMap { $0 }
        }
    }

    private func setPassword(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let body = try await request.json(PasswordRequest.self)
        // Without the passwords: a fast hash of one must not stand in the log.
        let caller = resources.caller(bearer, key, CanonicalRequest("PUT /v1/me/password"))
        try requireProof(body, of: caller)
        let address = resources.limitedAddress(of: request, context)
        // Counted before it is known to be wrong: many at once are no way around the budget.
        try resources.passwordChangeBudget.take(bearer.account)
        do throws(Problem) { try resources.passwordBudget.takeHashes(Limits.hashesOfPasswordChange, address, isKnown: true) } catch {
            resources.passwordChangeBudget.forgive(bearer.account)
            throw error
        }
        let proof: PasswordProof = body.code.map { .code($0, from: address?.site ?? .unknown) } ?? .current(body.current ?? "")
        let change = PasswordChange(to: body.new, proof, keeping: bearer.session)
        let acceptance: Acceptance
        do { acceptance = try await service.setPassword(change, by: caller) } catch {
            // Only a wrong password or code is a failure of the one who asks.
            if error != .rejected(.passwordNotValid) { resources.passwordChangeBudget.forgive(bearer.account) }
            throw error
        }
        resources.passwordChangeBudget.forgive(bearer.account)
        resources.dropSessions(endedBy: acceptance)
        return .done(at: await resources.settled(acceptance).position)
    }

    /// A code, or the password that is to be replaced, must come along, unless this is a request again that was answered.
    private func requireProof(_ body: PasswordRequest, of caller: Caller) throws {
        guard body.code == nil else { return }
        let hasPassword = try service.reading({ try $0.account(caller.account) })?.password != nil
        guard !hasPassword || body.current == nil, try !service.isAnswered(caller) else { return }
        guard hasPassword else { throw Problem.invalid("code", "is required for the first password") }
        throw Problem.invalid("current", "is required: the account has a password")
    }

    /// Sessions go on: a text message signs in as before.
    private func removePassword(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let caller = resources.caller(bearer, key, CanonicalRequest("DELETE /v1/me/password"))
        let acceptance = try await service.removePassword(by: caller)
        return .done(at: await resources.settled(acceptance).position)
    }

    private func export(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitMinPosition(of: request)
        try resources.exportSlots.take(bearer.account)
        defer { resources.exportSlots.giveBack(bearer.account) }
        try resources.exportBudget.take(bearer.account)
        // Who gets which notice a model knows; it is to know all that the log does.
        await service.settle(service.log.head)
        var response = Response.ok(try resources.exportAnswer(bearer.account)).unstored()
        response.headers[.contentDisposition] = "attachment; filename=\"greentea-export.json\""
        return response
    }

    /// Its sessions end with it, so a repetition finds nobody: 401.
    private func erase(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let caller = resources.caller(bearer, key, CanonicalRequest("DELETE /v1/me"))
        // Whatever becomes of the key: the sessions are over with the certificate.
        let acceptance = try await service.eraseAccount(by: caller) { [resources] in resources.dropSessions(endedBy: $0) }
        return .done(at: await resources.settled(acceptance).position)
    }
}
