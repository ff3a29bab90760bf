import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import TextMessages

/// The routes of signing in and out.
///
/// Answers to sign-ins hold secrets that are stored nowhere, so an `Idempotency-Key` is remembered only for minutes, in memory
/// (``SessionAnswers``). This is long enough for a phone that used up its code or refresh token but did not receive the answer. Even
/// without a key, the answer to a refresh is remembered by the refresh token for ten seconds, so that two tabs may refresh concurrently. If
/// a spent token is used when its answer is no longer remembered, the token was probably copied, and its session ends.
///
/// Our own pages request cookies in place of tokens (``SessionCookie``). Their scripts cannot read the token, and so cannot derive a key
/// from it. Therefore the answer to a refresh by cookie is remembered by the cookie's token, for as long as the answer to a request with a
/// key.
struct SessionRoutes {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/verifications", beginVerification), .post("/v1/sessions", signIn), .post("/v1/sessions/refresh", refresh),
            .delete("/v1/sessions/current", signOut), .delete("/v1/sessions", signOutEverywhere),
        ]
    }

    private var service: GreenTea { resources.service }

    private func beginVerification(_ request: Request, _ context: APIContext) async throws -> Response {
        let phone = try await request.json(VerificationRequest.self).phone.typed()
        let (begun, task) = try resources.codeMessages.begin(for: phone.number, from: network(of: request, context)) { code in
            try await send(code, to: phone.number, as: request)
        }
        try await task?.value
        let answer = VerificationAnswer(
            phone: phone, expiresAt: begun.expiresAt, devCode: resources.configuration.isDevelopment ? begun.code : nil)
        var response = Response.ok(answer).unstored()
        response.status = .accepted
        return response
    }

    private func signIn(_ request: Request, _ context: APIContext) async throws -> Response {
        let key = try IdempotencyKey(optionalIn: request)
        let inCookies = try resources.pages.wantCookies(request)
        let body = try await request.json(SessionRequest.self)
        let phone = try body.phone.typed()
        guard body.code != nil || body.password != nil else { throw Problem.invalid("code", .codeOrPassword) }
        let address = resources.limitedAddress(of: request, context)
        var content = CanonicalRequest("POST /v1/sessions")
        content.add(body.code)
        content.add(body.password)
        content.add(body.phone.text)
        let attempt = SessionAttempt(
            mark: mark(key, of: phone.number.text, content), holder: UInt128(phone.number.text.dropFirst()) ?? 0, isOpen: isOpen
        ) {
            try resources.budgets.keyGuesses.take(phone.number)
        } open: {
            guard let code = body.code else { return try await opened(signIn(phone, address, password: body.password ?? ""), request) }
            let signedIn = try await service.signIn(phone, code: code, from: address?.site ?? .unknown)
            guard let signedIn else { throw PhoneField.refused }
            return try await opened(signedIn, request)
        }
        return try await answer(attempt, inCookies: inCookies)
    }

    private func network(of request: Request, _ context: APIContext) -> SignInNetwork {
        resources.limitedAddress(of: request, context)?.site ?? .unknown
    }

    /// Signs in by password. A wrong password, an account without a password and an unknown phone number get the same answer, in the same
    /// time.
    private func signIn(_ typed: TypedPhone, _ address: ClientAddress?, password: String) async throws -> SignedIn {
        let (network, phone) = (address?.site ?? .unknown, typed.number)
        let attempt = PasswordBudget.Attempt(
            phone: phone, address: address, isKnown: service.verifications.isKnown(network, to: phone))
        try resources.budgets.passwords.take(attempt)
        let signedIn: SignedIn?
        do {
            try resources.budgets.passwords.takeHashes(1, address, for: attempt.isKnown ? .phone(phone) : nil)
            signedIn = try await service.signIn(resources.number(of: typed), password: password)
        } catch {
            // Either the password was not checked, or it was right but no session could be opened. So the attempt was no wrong guess, and
            // is taken back from the budget.
            resources.budgets.passwords.forgive(attempt)
            throw error
        }
        guard let signedIn else { throw Problem(.verificationNotValid) }
        resources.budgets.passwords.forgive(attempt)
        service.verifications.remember(network, of: phone)
        return signedIn
    }

    /// Passes the code to the sender of text messages. The result does not depend on whether the number is registered.
    private func send(_ code: String, to phone: E164Number, as request: Request) async throws {
        guard let sender = resources.configuration.messages else { return }
        let language = Language(accepting: request.headers[.acceptLanguage])
        let message = TextMessage(id: service.messageID(), phone: phone.text, text: VerificationText.text(code, in: language))
        do {
            try await sender.send(message)
        } catch {
            throw Problem.unsent(error)
        }
    }

    private func refresh(_ request: Request, _ context: APIContext) async throws -> Response {
        guard try !resources.pages.wantCookies(request) else { return try await refreshByCookie(request) }
        let key = try IdempotencyKey(optionalIn: request)
        let token = try await request.json(RefreshRequest.self).refreshToken
        let (attempt, content) = spending(token, request)
        let keyed = SessionAttempt(
            mark: mark(key, of: Self.family(of: token), content), holder: attempt.holder, isOpen: isOpen,
            open: { try await resources.kept.refreshes.answer(to: attempt) })
        return try await answer(keyed, inCookies: false)
    }

    /// Refreshes the session of a browser's cookie. If the cookie is invalid, the answer removes it.
    private func refreshByCookie(_ request: Request) async throws -> Response {
        do {
            guard let token = try SessionCookie.refresh.value(in: request) else { throw Problem(.unauthenticated) }
            return try await answer(spending(token, request).attempt, inCookies: true)
        } catch {
            var problem = Problem(error)
            problem.removesSession = problem.code == .unauthenticated
            throw problem
        }
    }

    /// An attempt to refresh a session, which uses up the refresh token. Its answer is kept under a mark that is derived from the token.
    private func spending(_ token: String, _ request: Request) -> (attempt: SessionAttempt, content: CanonicalRequest) {
        let content = CanonicalRequest("POST /v1/sessions/refresh", token)
        // The caller chooses the memory that keeps the answer under this mark. For a token in the request's body it is `refreshAnswers`,
        // which keeps the answer for seconds; for a token in a cookie it is `sessionAnswers`, which keeps the answer for minutes.
        let attempt = SessionAttempt(
            mark: service.keys.mark(account: AccountID(0), key: "refresh " + token, content: content.bytes),
            holder: SessionID(text: Self.family(of: token))?.value ?? 0, isOpen: isOpen, open: { try await opened(refresh(token), request) }
        )
        return (attempt, content)
    }

    /// Refreshes the session of a token. An accepted refresh uses up a part of the session's budget. A refused refresh does not, because
    /// otherwise a client without a valid token could block the session.
    private func refresh(_ token: String) async throws -> SignedIn {
        guard let session = SessionID(text: Self.family(of: token)) else { throw Problem(.unauthenticated) }
        try await resources.budgets.refreshes.begin(session)
        do {
            // A change of the phone number that an operator requested may be due. If it is, it is recorded here and ends all earlier
            // sessions of the account, so that this refresh is refused.
            if let change = try await service.completePhoneChange(ofSession: session) { resources.dropSessions(endedBy: change) }
            let signedIn = try await service.refresh(token)
            resources.budgets.refreshes.end(session, failed: true)
            return signedIn
        } catch {
            resources.budgets.refreshes.end(session, failed: false)
            // If the token was spent before, its use has ended the whole session. Then the session's access tokens must also be refused
            // from now on.
            if error == .rejected(.sessionNotValid), try hasEnded(session) { resources.gate.end(session) }
            throw error
        }
    }

    private static func family(of token: String) -> String { String(token.prefix { $0 != "." }) }

    private func hasEnded(_ session: SessionID) throws -> Bool {
        try service.reading({ try $0.session(session) })?.isEnded == true
    }

    private func signOut(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        // The session is part of the content, so that signing out of another session under the same key counts as another request.
        let session = write.bearer.session
        let acceptance = try await service.signOut(session, by: write.caller("DELETE /v1/sessions/current", session))
        resources.gate.end(session)
        return Response.done(acceptance).signedOut(request)
    }

    private func signOutEverywhere(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let acceptance = try await service.signOutEverywhere(by: write.caller("DELETE /v1/sessions"))
        resources.dropSessions(endedBy: acceptance)
        return Response.done(acceptance).signedOut(request)
    }

    /// The hashes of a request's idempotency key and content; nil if the request has no key.
    ///
    /// - Parameter scope: a text that separates the keys of different clients. It is needed because an anonymous request has no account
    ///   that would separate them.
    private func mark(_ key: IdempotencyKey?, of scope: String, _ content: CanonicalRequest) -> RequestMark? {
        key.map { service.keys.mark(account: AccountID(0), key: scope + " " + $0.text, content: content.bytes) }
    }

    private func isOpen(_ opened: OpenedSession) throws -> Bool { try !hasEnded(opened.session) }

    /// Opens or refreshes a session, or repeats the earlier answer to the same request.
    private func answer(_ attempt: SessionAttempt, inCookies: Bool) async throws -> Response {
        let opened = try await resources.kept.sessions.answer(to: attempt)
        var shown = opened.answer
        shown.showsTokens = !inCookies
        let place = "/v1/sessions/current"
        var response = Response.written(.created, at: opened.position, isReplay: opened.isReplay, location: place, shown).unstored()
        if inCookies { response.headers.storeSession(opened.answer) }
        return response
    }

    private func opened(_ signedIn: SignedIn, _ request: Request) async throws -> OpenedSession {
        resources.gate.sightings.note(signedIn.session, request)
        // The number of sessions of an account is limited, so the sign-in may have ended the session that was unused for the longest time.
        resources.dropSessions(endedBy: signedIn.acceptance)
        if let change = signedIn.phoneChange { resources.dropSessions(endedBy: change) }
        let bearer = SignedInAs(account: signedIn.account.id, session: signedIn.session)
        let answer = SessionAnswer(
            accessToken: try await resources.signing.tokens.token(for: bearer, at: resources.now), refreshToken: signedIn.refreshToken,
            account: try resources.accountAnswer(bearer.account))
        let position = signedIn.acceptance.position
        return OpenedSession(session: bearer.session, answer: answer, position: position)
    }
}

/// The body of `POST /sessions`: a phone number, and either the code that was sent to it or a password.
struct SessionRequest: JSONReadable {
    let phone: PhoneField
    let code: String?
    let password: String?

    init(_ fields: inout FieldReader) {
        phone = fields.phone()
        code = fields.optionalString("code")
        password = fields.optionalString("password")
    }
}

/// The body of `POST /sessions/refresh`.
struct RefreshRequest: JSONReadable {
    let refreshToken: String

    init(_ fields: inout FieldReader) {
        refreshToken = fields.string("refreshToken")
    }
}

/// The body of `POST /verifications`.
struct VerificationRequest: JSONReadable {
    let phone: PhoneField

    init(_ fields: inout FieldReader) {
        phone = fields.phone()
    }
}

/// The answer to a sign-in or a refresh.
struct SessionAnswer: JSONObject {
    let accessToken: String
    let refreshToken: String
    let account: AccountAnswer
    /// Whether the answer contains the tokens; false if cookies hold them.
    var showsTokens = true

    func writeFields(to json: inout JSONWriter) {
        if showsTokens {
            json.field("accessToken", accessToken)
            json.field("refreshToken", refreshToken)
        }
        json.field("expiresIn", Limits.accessTokenSeconds)
        json.field("account", account)
    }
}

/// The answer to a request for a code. It is the same for known and unknown numbers.
struct VerificationAnswer: JSONObject {
    let phone: TypedPhone
    let expiresAt: Instant
    /// The code itself, only in development.
    let devCode: String?

    func writeFields(to json: inout JSONWriter) {
        json.field("phone", phone.number.text)
        json.field("isPossible", phone.isPossible)
        json.field("expiresAt", expiresAt)
        if let devCode { json.field("devCode", devCode) }
    }
}

/// The text message that tells a person the code by which a phone number is verified.
enum VerificationText {
    static func text(_ code: String, in language: Language) -> String {
        let minutes = Verifications.validSeconds / 60
        return switch language {
        case .english: "GreenTea: \(code) is your sign-in code, good for \(minutes) minutes. Never tell it to anybody."
        case .chinese: "【GreenTea】登录验证码 \(code)，\(minutes) 分钟内有效，请勿告诉任何人。"
        }
    }
}
