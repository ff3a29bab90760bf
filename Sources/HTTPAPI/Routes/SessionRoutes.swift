import CommandService
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec

/// Signing in and out.
///
/// The answers of signing in hold secrets that are stored nowhere, so an `Idempotency-Key` is checked but remembers nothing:
/// whoever lost the answer signs in once more.
struct SessionRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/verifications", beginVerification), .post("/v1/sessions", signIn), .post("/v1/sessions/refresh", refresh),
            .delete("/v1/sessions/current", signOut),
        ]
    }

    private var service: GreenTea { resources.service }

    private func beginVerification(_ request: Request, _ context: APIContext) async throws -> Response {
        let phone = try Self.number(try await request.json(VerificationRequest.self).phone)
        // Each code that is sent costs money and patience, so every one counts.
        try resources.verificationBudget.check(phone)
        resources.verificationBudget.count(phone)
        let (code, expiresAt) = service.verifications.begin(for: phone, now: resources.now)
        let answer = VerificationAnswer(expiresAt: expiresAt, devCode: resources.configuration.isDevelopment ? code : nil)
        var response = Response.ok(answer).unstored()
        response.status = .accepted
        return response
    }

    private func signIn(_ request: Request, _ context: APIContext) async throws -> Response {
        _ = try IdempotencyKey(optionalIn: request)
        let body = try await request.json(SessionRequest.self)
        let phone = try Self.number(body.phone)
        guard body.code != nil || body.password != nil else { throw Problem.invalid("code", "code or password must be given") }
        // No account has a password yet, so none can be right.
        guard let code = body.code, service.verifications.spend(code, for: phone, now: resources.now) else {
            throw Problem(.verificationNotValid)
        }
        return try await answer(try await service.signIn(phone))
    }

    private func refresh(_ request: Request, _ context: APIContext) async throws -> Response {
        _ = try IdempotencyKey(optionalIn: request)
        let token = try await request.json(RefreshRequest.self).refreshToken
        do {
            return try await answer(try await service.refresh(token))
        } catch let error as ServiceError where error == .rejected(.sessionNotValid) {
            // It may have been spent before, and then its whole family has just ended: access tokens too.
            if let session = SessionID(text: String(token.prefix { $0 != "." })) { resources.gate.end(session) }
            throw error
        }
    }

    private func signOut(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let caller = resources.caller(bearer, key, CanonicalRequest("DELETE /v1/sessions/current"))
        let acceptance = try await service.signOut(bearer.session, by: caller)
        resources.gate.end(bearer.session)
        return .done(at: await resources.settled(acceptance).position)
    }

    private func answer(_ signedIn: SignedIn) async throws -> Response {
        let bearer = SignedInAs(account: signedIn.account.id, session: signedIn.session)
        let answer = SessionAnswer(
            accessToken: try await resources.tokens.token(for: bearer, at: resources.now), refreshToken: signedIn.refreshToken,
            account: try resources.accountAnswer(bearer.account))
        let position = await resources.settled(signedIn.acceptance).position
        return Response.written(.created, at: position, location: "/v1/sessions/current", answer).unstored()
    }

    private static func number(_ text: String) throws -> E164Number {
        guard let number = E164Number(text) else { throw Problem.invalid("phone", "must be a number in E.164 form: +8613800138000") }
        return number
    }
}
