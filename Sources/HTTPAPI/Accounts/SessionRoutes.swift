import CommandService
import Composition
import EventLog
import Hummingbird
import Loyalty
import LoyaltyCodec
import Synchronization
import TextMessages
import WebPages

/// The routes of signing in and out, and of the list of sessions. Answers hold secrets that are stored nowhere, so a key is remembered only
/// in memory, for minutes (``SessionAnswers``); a refresh without a key, for ten seconds. A spent token that is used later was probably
/// copied, so its session ends.
///
/// Our pages use cookies (``SessionCookie``), which scripts cannot read, so they cannot derive a key from the token. A refresh by cookie is
/// therefore kept by its token for minutes too.
struct SessionRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] {
        [
            .post("/v1/verifications", beginVerification), .post("/v1/sessions", signIn), .post("/v1/sessions/refresh", refresh),
            .delete("/v1/sessions/current", signOut), .delete("/v1/sessions", signOutEverywhere),
            .get("/v1/me/sessions", sessions), .delete("/v1/me/sessions/{id}", end),
        ]
    }

    private var service: GreenTea { resources.service }

    private func beginVerification(_ request: Request, _ context: APIContext) async throws -> Response {
        let phone = try await request.json { $0.phone() }.typed()
        let (begun, task) = try resources.codeMessages.begin(for: phone.number, from: context.limitedAddress?.site ?? .unknown) { code in
            try await send(code, to: phone.number, as: request)
        }
        try await task?.value
        // The same for known and unknown numbers.
        let answer: JSONFields = [
            "phone": phone.number.text, "isPossible": phone.isPossible, "expiresAt": begun.expiresAt,
            "devCode": IfPresent(resources.configuration.isDevelopment ? begun.code : nil),
        ]
        var response = Response.ok(answer).unstored()
        response.status = .accepted
        return response
    }

    private func signIn(_ request: Request, _ context: APIContext) async throws -> Response {
        let key = try IdempotencyKey(optionalIn: request)
        let inCookies = try resources.pages.wantCookies(request)
        let body = try await request.json {
            (phone: $0.phone(), code: $0.optionalString("code"), password: $0.optionalString("password"))
        }
        let phone = try body.phone.typed()
        guard body.code != nil || body.password != nil else { throw Problem.invalid("code", .codeOrPassword) }
        let address = context.limitedAddress
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

    /// A wrong password, an account without one and an unknown number get the same answer, in the same time.
    private func signIn(_ typed: TypedPhone, _ address: ClientAddress?, password: String) async throws -> SignedIn {
        let (network, phone) = (address?.site ?? .unknown, typed.number)
        let attempt = PasswordBudget.Attempt(phone: phone, address: address, isKnown: service.verifications.isKnown(network, to: phone))
        try resources.budgets.passwords.take(attempt)
        let signedIn: SignedIn?
        do {
            try resources.budgets.passwords.takeHashes(1, address, for: attempt.isKnown ? .phone(phone) : nil)
            signedIn = try await service.signIn(resources.number(of: typed), password: password)
        } catch {
            // The attempt was no wrong guess: the password was not checked, or it was right but no session could be opened.
            resources.budgets.passwords.forgive(attempt)
            throw error
        }
        guard let signedIn else { throw Problem(.verificationNotValid) }
        resources.budgets.passwords.forgive(attempt)
        service.verifications.remember(network, of: phone)
        return signedIn
    }

    /// The result does not depend on whether the number is registered.
    private func send(_ code: String, to phone: E164Number, as request: Request) async throws {
        guard let sender = resources.configuration.messages else { return }
        let language = PageLanguage(accepting: request.headers[.acceptLanguage])
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
        let token = try await request.json { $0.string("refreshToken") }
        let (attempt, content) = spending(token, request)
        let keyed = SessionAttempt(
            mark: mark(key, of: Self.family(of: token), content), holder: attempt.holder, isOpen: isOpen,
            open: { try await resources.kept.refreshes.answer(to: attempt) })
        return try await answer(keyed, inCookies: false)
    }

    /// The answer removes an invalid cookie.
    private func refreshByCookie(_ request: Request) async throws -> Response {
        do {
            guard let token = try SessionCookie.refresh.value(in: request) else { throw Problem(.unauthenticated) }
            return try await answer(spending(token, request).attempt, inCookies: true)
        } catch {
            var problem = Problem(error)
            guard problem.code == .unauthenticated else { throw error }
            problem.removesSession = true
            throw problem
        }
    }

    /// Uses up the refresh token; the answer's mark derives from it.
    private func spending(_ token: String, _ request: Request) -> (attempt: SessionAttempt, content: CanonicalRequest) {
        let content = CanonicalRequest("POST /v1/sessions/refresh", token)
        // The caller chooses the memory: `refreshAnswers` (seconds) for a token in the body, `sessionAnswers` (minutes) for a cookie.
        let attempt = SessionAttempt(
            mark: service.keys.mark(account: AccountID(0), key: "refresh " + token, content: content.bytes),
            holder: SessionID(text: Self.family(of: token))?.value ?? 0, isOpen: isOpen, open: { try await opened(refresh(token), request) }
        )
        return (attempt, content)
    }

    /// An accepted refresh uses up the session's budget. A refused one does not, or a client without a valid token could block the session.
    private func refresh(_ token: String) async throws -> SignedIn {
        guard let session = SessionID(text: Self.family(of: token)) else { throw Problem(.unauthenticated) }
        try await resources.budgets.refreshes.begin(session)
        do {
            // A due change of number by an operator ends all earlier sessions, so that this refresh is refused.
            if let change = try await service.completePhoneChange(ofSession: session) { resources.dropSessions(endedBy: change) }
            let signedIn = try await service.refresh(token)
            resources.budgets.refreshes.end(session, failed: true)
            return signedIn
        } catch {
            resources.budgets.refreshes.end(session, failed: false)
            // The use of a spent token has ended the session, so its access tokens must be refused too.
            if error == .rejected(.sessionNotValid), try hasEnded(session) { resources.gate.end(session) }
            throw error
        }
    }

    private static func family(of token: String) -> String { String(token.prefix { $0 != "." }) }
    private func hasEnded(_ session: SessionID) throws -> Bool { try service.reading({ try $0.session(session) })?.isEnded == true }

    private func signOut(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        // The session is part of the content: signing out of another one under the same key is another request.
        let session = write.bearer.session
        let caller = write.caller("DELETE /v1/sessions/current", session)
        let acceptance = try await service.submit(.endSession(EndSession(session: session)), by: caller)
        resources.gate.end(session)
        return Response.done(acceptance).signedOut(request)
    }

    private func signOutEverywhere(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let acceptance = try await service.submit(.endSessions(EndSessions()), by: write.caller("DELETE /v1/sessions"))
        resources.dropSessions(endedBy: acceptance)
        return Response.done(acceptance).signedOut(request)
    }

    /// All fit on one page: about ``Loyalty/Limits/openSessionsMax``, or a few more from before this limit.
    private func sessions(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        try await resources.awaitPosition(of: request)
        let shown = resources.service.log.head
        let items = try resources.service.openSessions(of: bearer.account, through: shown).map { resources.fields(of: $0, for: bearer) }
        return Response.ok(Page(items: items, next: nil)).unstored().showing(shown)
    }

    private func end(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request)
        let session = try context.id(Session.self)
        // The decision refuses another account's session with `notFound`.
        let caller = write.caller("DELETE /v1/me/sessions", session)
        let acceptance = try await resources.service.submit(.endSession(EndSession(session: session)), by: caller)
        resources.gate.end(session)
        let answer = Response.done(acceptance)
        return session == write.bearer.session ? answer.signedOut(request) : answer
    }

    /// Nil without a key.
    ///
    /// - Parameter scope: separates the keys of different clients, because anonymous requests have no account.
    private func mark(_ key: IdempotencyKey?, of scope: String, _ content: CanonicalRequest) -> RequestMark? {
        key.map { service.keys.mark(account: AccountID(0), key: scope + " " + $0.text, content: content.bytes) }
    }

    private func isOpen(_ opened: OpenedSession) throws -> Bool { try !hasEnded(opened.session) }

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
        // The sign-in may have ended the longest unused session.
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

extension Resources {
    /// A session in the list of its account.
    func fields(of session: Session, for bearer: SignedInAs) -> JSONFields {
        let sighting = gate.sightings[session.id]
        return [
            "id": session.id, "startedAt": session.startedAt, "lastSeenAt": max(session.refreshedAt, sighting?.at ?? session.refreshedAt),
            "device": sighting?.device, "isCurrent": session.id == bearer.session,
        ]
    }
}

struct SessionAnswer: JSONRecord {
    let accessToken: String
    let refreshToken: String
    let account: AccountAnswer
    /// False if cookies hold the tokens.
    var showsTokens = true

    var fields: JSONFields {
        let tokens: JSONFields = showsTokens ? ["accessToken": accessToken, "refreshToken": refreshToken] : [:]
        return tokens + ["expiresIn": Limits.accessTokenSeconds, "account": account]
    }
}

enum VerificationText {
    static func text(_ code: String, in language: PageLanguage) -> String {
        let minutes = Verifications.validSeconds / 60
        return language == .english
            ? "GreenTea: \(code) is your sign-in code, good for \(minutes) minutes. Never tell it to anybody."
            : "【GreenTea】登录验证码 \(code)，\(minutes) 分钟内有效，请勿告诉任何人。"
    }
}

/// The text messages with codes that are being sent. A concurrent request for the same code waits for the outcome: told that the code is on
/// its way, it would mislead if sending then failed. ``MessageCaps`` bound the entries. Any task may call.
final class CodeMessages: Sendable {
    /// Sent in a task of its own, so that other requests get the outcome even if the first client hangs up.
    private struct Message {
        let code: String
        let task: Task<Void, any Error>
    }

    /// The mutex is also held while a code is begun or taken back: a request finds the message of its code here, or comes after the
    /// outcome.
    private let underWay = Mutex<[E164Number: Message]>([:])
    private let verifications: Verifications
    private let caps: MessageCaps?

    init(of verifications: Verifications, caps: MessageCaps?) { (self.verifications, self.caps) = (verifications, caps) }

    /// Returns the number's code and the task that sends it; nil if no message is being sent now.
    ///
    /// - Parameter send: a failure uses up no allowance, and the next request sends again.
    /// - Throws: ``VerificationRefusal``.
    func begin(
        for phone: E164Number, from network: SignInNetwork, send: @escaping @Sendable (_ code: String) async throws -> Void
    ) throws -> (begun: Verifications.Begun, task: Task<Void, any Error>?) {
        try underWay.withLock { underWay in
            let begun = try verifications.begin(for: phone, from: network, caps: caps)
            if begun.isToBeSent {
                let task = Task<Void, any Error> { [self] in
                    do { try await send(begun.code) } catch {
                        end(begun, to: phone, isSent: false)
                        throw error
                    }
                    end(begun, to: phone, isSent: true)
                }
                underWay[phone] = Message(code: begun.code, task: task)
            }
            return (begun, underWay[phone]?.task)
        }
    }

    private func end(_ begun: Verifications.Begun, to phone: E164Number, isSent: Bool) {
        underWay.withLock { underWay in
            if underWay[phone]?.code == begun.code { underWay[phone] = nil }
            if !isSent { verifications.unsent(begun, to: phone, caps: caps) }
        }
    }
}
