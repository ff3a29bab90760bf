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
/// (``SessionAnswers``). That is enough for a phone that did not receive the answer, although its code or refresh token was used up. For a
/// refresh without a key, the answer is remembered by the token for ten seconds, so that two tabs may refresh concurrently. If a spent
/// token is used later than that, it was probably copied, and its session ends.
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
        let phone = try Self.number(try await request.json(VerificationRequest.self).phone)
        let network = network(of: request, context)
        let begun = try service.verifications.begin(for: phone, from: network, caps: resources.messageCaps)
        do {
            if begun.isToBeSent { try await send(begun.code, to: phone, as: request) }
        } catch {
            // A message that was not sent uses up none of the limits.
            service.verifications.unsent(begun, to: phone, caps: resources.messageCaps)
            throw error
        }
        let answer = VerificationAnswer(
            expiresAt: begun.expiresAt, devCode: resources.configuration.isDevelopment ? begun.code : nil)
        var response = Response.ok(answer).unstored()
        response.status = .accepted
        return response
    }

    private func signIn(_ request: Request, _ context: APIContext) async throws -> Response {
        let key = try IdempotencyKey(optionalIn: request)
        let inCookies = try resources.pages.wantCookies(request)
        let body = try await request.json(SessionRequest.self)
        let phone = try Self.number(body.phone)
        guard body.code != nil || body.password != nil else { throw Problem.invalid("code", .codeOrPassword) }
        let address = resources.limitedAddress(of: request, context)
        var content = CanonicalRequest("POST /v1/sessions")
        content.add(body.code)
        content.add(body.password)
        let attempt = SessionAttempt(mark: mark(key, of: phone.text, content), isOpen: isOpen) {
            try resources.keyGuessBudget.take(phone)
        } open: {
            guard let code = body.code else { return try await opened(signIn(phone, address, password: body.password ?? ""), request) }
            return try await opened(signIn(phone, address, code: code), request)
        }
        return try await answer(attempt, inCookies: inCookies)
    }

    private func network(of request: Request, _ context: APIContext) -> SignInNetwork {
        resources.limitedAddress(of: request, context)?.site ?? .unknown
    }

    private func signIn(_ phone: E164Number, _ address: ClientAddress?, code: String) async throws -> SignedIn {
        guard try service.verifications.spend(code, for: phone, from: address?.site ?? .unknown) else {
            throw Problem(.verificationNotValid)
        }
        return try await service.signIn(phone)
    }

    /// Signs in by password. A wrong password, an account without a password and an unknown phone number get the same answer, in the same
    /// time.
    private func signIn(_ phone: E164Number, _ address: ClientAddress?, password: String) async throws -> SignedIn {
        let network = address?.site ?? .unknown
        let attempt = PasswordBudget.Attempt(
            phone: phone, address: address, isKnown: service.verifications.isKnown(network, to: phone))
        try resources.passwordBudget.take(attempt)
        let signedIn: SignedIn?
        do {
            try resources.passwordBudget.takeHashes(1, address, for: attempt.isKnown ? .phone(phone) : nil)
            signedIn = try await service.signIn(phone, password: password)
        } catch {
            // The password was not checked, so the attempt revealed nothing about it, and is taken back from the budget.
            resources.passwordBudget.forgive(attempt)
            throw error
        }
        guard let signedIn else { throw Problem(.verificationNotValid) }
        resources.passwordBudget.forgive(attempt)
        service.verifications.remember(network, of: phone)
        return signedIn
    }

    /// Passes the code to the sender of text messages. The answer does not depend on whether the number is registered.
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
            mark: mark(key, of: Self.family(of: token), content), isOpen: isOpen,
            open: { try await resources.refreshAnswers.answer(to: attempt) })
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
        var content = CanonicalRequest("POST /v1/sessions/refresh")
        content.add(token)
        // A refresh uses two memories of answers. The outer one, `sessionAnswers`, answers a retry for minutes. The inner one,
        // `refreshAnswers`, answers another tab of the browser for seconds.
        let attempt = SessionAttempt(
            mark: service.keys.mark(account: AccountID(0), key: "refresh " + token, content: content.bytes), isOpen: isOpen,
            open: { try await opened(refresh(token), request) })
        return (attempt, content)
    }

    /// Accepted refreshes use up the session's budget. Refused ones do not: otherwise a client without a valid token could block the
    /// session.
    private func refresh(_ token: String) async throws -> SignedIn {
        guard let session = SessionID(text: Self.family(of: token)) else { throw Problem(.unauthenticated) }
        try await resources.refreshBudget.begin(session)
        do {
            // If a change of the phone number that an operator requested is due, all earlier sessions of the account end. Then this refresh
            // is refused.
            if let change = try await service.completePhoneChange(ofSession: session) { resources.dropSessions(endedBy: change) }
            let signedIn = try await service.refresh(token)
            resources.refreshBudget.end(session, failed: true)
            return signedIn
        } catch {
            resources.refreshBudget.end(session, failed: false)
            // If the token had been spent before, the refusal has ended its whole session, including the access tokens.
            if error == .rejected(.sessionNotValid), try hasEnded(session) { resources.gate.end(session) }
            throw error
        }
    }

    private static func family(of token: String) -> String { String(token.prefix { $0 != "." }) }

    private func hasEnded(_ session: SessionID) throws -> Bool {
        try service.reading({ try $0.session(session) })?.isEnded == true
    }

    private func signOut(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        // The session is part of the content: under the same key, signing out of another session is another request.
        var canonical = CanonicalRequest("DELETE /v1/sessions/current")
        canonical.add(bearer.session.value)
        let caller = resources.caller(bearer, key, canonical)
        let acceptance = try await service.signOut(bearer.session, by: caller)
        resources.gate.end(bearer.session)
        return Response.done(at: acceptance.position).signedOut(request)
    }

    private func signOutEverywhere(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let key = try IdempotencyKey(optionalIn: request)
        let caller = resources.caller(bearer, key, CanonicalRequest("DELETE /v1/sessions"))
        let acceptance = try await service.signOutEverywhere(by: caller)
        resources.dropSessions(endedBy: acceptance)
        return Response.done(at: acceptance.position).signedOut(request)
    }

    /// The hashes of a request's idempotency key and content; nil if the request has no key.
    ///
    /// - Parameter scope: a text that separates the keys of different clients. It is needed because an anonymous request has no account
    ///   that would separate them.
    private func mark(_ key: IdempotencyKey?, of scope: String, _ content: CanonicalRequest) -> RequestMark? {
        key.map { service.keys.mark(account: AccountID(0), key: scope + " " + $0.text, content: content.bytes) }
    }

    private func isOpen(_ opened: OpenedSession) throws -> Bool { try !hasEnded(opened.session) }

    /// Opens a session, or repeats the earlier answer for the same key.
    private func answer(_ attempt: SessionAttempt, inCookies: Bool) async throws -> Response {
        let opened = try await resources.sessionAnswers.answer(to: attempt)
        var shown = opened.answer
        shown.showsTokens = !inCookies
        var response = Response.written(.created, at: opened.position, location: "/v1/sessions/current", shown).unstored()
        if inCookies { response.headers.storeSession(opened.answer) }
        return response
    }

    private func opened(_ signedIn: SignedIn, _ request: Request) async throws -> OpenedSession {
        resources.gate.sightings.note(signedIn.session, request)
        // The session that was unused for the longest time may have ended, because an account may have only a limited number of sessions.
        resources.dropSessions(endedBy: signedIn.acceptance)
        if let change = signedIn.phoneChange { resources.dropSessions(endedBy: change) }
        let bearer = SignedInAs(account: signedIn.account.id, session: signedIn.session)
        let answer = SessionAnswer(
            accessToken: try await resources.tokens.token(for: bearer, at: resources.now), refreshToken: signedIn.refreshToken,
            account: try resources.accountAnswer(bearer.account))
        let position = signedIn.acceptance.position
        return OpenedSession(session: bearer.session, answer: answer, position: position)
    }

    private static func number(_ text: String) throws -> E164Number {
        guard let number = E164Number(text) else { throw Problem.invalid("phone", .form(.phone)) }
        return number
    }
}

/// `POST /sessions`: with the code that was sent to the phone, or with a password.
struct SessionRequest: JSONReadable {
    let phone: String
    let code: String?
    let password: String?

    init(_ fields: inout FieldReader) {
        phone = fields.string("phone")
        code = fields.optionalString("code")
        password = fields.optionalString("password")
    }
}

/// `POST /sessions/refresh`
struct RefreshRequest: JSONReadable {
    let refreshToken: String

    init(_ fields: inout FieldReader) {
        refreshToken = fields.string("refreshToken")
    }
}

/// `POST /verifications`
struct VerificationRequest: JSONReadable {
    let phone: String

    init(_ fields: inout FieldReader) {
        phone = fields.string("phone")
    }
}

/// The answer to a sign-in or a refresh.
struct SessionAnswer: JSONWritable {
    let accessToken: String
    let refreshToken: String
    let account: AccountAnswer
    /// Whether the answer contains the tokens; false if cookies hold them.
    var showsTokens = true

    func write(to json: inout JSONWriter) {
        json.object {
            if showsTokens {
                $0.field("accessToken", accessToken)
                $0.field("refreshToken", refreshToken)
            }
            $0.field("expiresIn", Limits.accessTokenSeconds)
            $0.field("account", account)
        }
    }
}

/// The answer to a request for a code. It is the same for known and unknown numbers.
struct VerificationAnswer: JSONWritable {
    let expiresAt: Instant
    /// The code itself, only in development.
    let devCode: String?

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("expiresAt", expiresAt)
            if let devCode { $0.field("devCode", devCode) }
        }
    }
}

/// The text message with a code.
enum VerificationText {
    static func text(_ code: String, in language: Language) -> String {
        let minutes = Verifications.validSeconds / 60
        return switch language {
        case .english: "GreenTea: \(code) is your sign-in code, good for \(minutes) minutes. Never tell it to anybody."
        case .chinese: "【GreenTea】登录验证码 \(code)，\(minutes) 分钟内有效，请勿告诉任何人。"
        }
    }
}
