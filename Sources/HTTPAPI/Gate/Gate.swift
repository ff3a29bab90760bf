import Caches
import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import LMDB
import Loyalty
import LoyaltyCodec
import Synchronization

/// Finds the account that sent a request. Any task may call.
///
/// A new token is verified, and its session looked up. Later requests cost only look-ups in memory, until the token expires, this process
/// ends the session, or the bounded cache drops it.
final class Gate: Sendable {
    private static let scheme = "bearer "

    private let service: GreenTea
    private let tokens: TokenSigner
    private let cache = Mutex(TokenCache())
    private let limiter: RateLimiter<AccountID>?
    private let rowLimiter: RateLimiter<AccountID>?
    /// An account that lacks this many requests or rows of its allowance has used much.
    private let much: (requests: Int, rows: Int)
    private let pages: OwnPages
    private let peers: NodePeers?
    let sightings: Sightings

    /// - Parameter rates: of an account; nil for no limit.
    init(service: GreenTea, tokens: TokenSigner, pages: OwnPages, rates: RequestRates? = nil, _ peers: NodePeers? = nil) {
        (self.service, self.peers) = (service, peers)
        self.pages = pages
        self.tokens = tokens
        limiter = rates.map { RateLimiter($0.account) }
        rowLimiter = rates.map { RateLimiter($0.accountRows) }
        much = rates.map { ($0.account.burst / 2, min(Limits.rowsBeforeSlowLane, $0.accountRows.burst / 2)) } ?? (.max, .max)
        sightings = Sightings(clock: service.clock)
    }

    /// - Throws: `unauthenticated`, `tokenExpired`, `suspended`, `rateLimited`, or `forbidden` for a write by cookie that did not come from
    ///   our own pages.
    func admit(_ request: Request) async throws -> SignedInAs { try await admitToken(request).bearer }

    /// Like ``admit(_:)``, with the token's expiry.
    func admitToken(_ request: Request) async throws -> VerifiedToken {
        let header = try credential(of: request)
        guard header.utf8.count <= Limits.authorizationBytesMax else { throw Problem(.unauthenticated) }
        if let peers { try await requireNews(for: request, from: peers) }
        let now = service.clock.now()
        let (known, epoch) = cache.withLock { ($0.find(header), $0.epoch) }
        guard let token = if let known { known } else { try await verify(header, since: epoch, of: request) } else {
            throw Problem(.unauthenticated)
        }
        guard now < token.expiresAt else { throw Problem(.tokenExpired) }
        guard token.issuedAt <= now.advanced(bySeconds: Limits.accessTokenLeadSecondsMax) else { throw Problem(.unauthenticated) }
        if service.mayHaveDuePhone(token.bearer.account, at: now) { try await requirePresentNumber(of: token.bearer) }
        try pay(token.bearer.account)
        return token
    }

    /// Waits for the sessions' ends that the client may know of. A write needs no more: the shared log refuses those of a stale node.
    ///
    /// - Throws: ``StaleNode``, `notCaughtUp`.
    private func requireNews(for request: Request, from peers: NodePeers) async throws {
        if request.method == .get || request.method == .head, peers.isStale(), !StaleNode.isAccepted { throw StaleNode() }
        guard let knowsSessions = peers.knowsSessions else { return }
        let seconds = Limits.minPositionSecondsMax
        if let named = try Resources.minPosition(of: request), await !knowsSessions(named, seconds) {
            throw Problem(.notCaughtUp, retryAfterSeconds: 1)
        }
        // After the timeout, an older page is better than none.
        if let position = PositionCookie.position(in: request, of: service.log) { _ = await knowsSessions(position, seconds) }
    }

    /// For a request that is no `GET`, and adds no event by which the shared log could refuse it.
    func requireCurrent() throws(StaleNode) {
        if let peers, peers.isStale() { throw StaleNode() }
    }

    /// Does nothing the second time in a request.
    func pay(_ account: AccountID) throws(Problem) {
        if let client = PoolClient.current {
            guard client.share.account != account.value else { return }
            client.isSignedIn(as: account.value)
        }
        guard let limiter, let rowLimiter else { return }
        let clock = service.clock
        try limiter.take(account, at: clock.steady())
        try rowLimiter.take(account, at: clock.steady())
        ReadMeter.current?.charge("account") { rowLimiter.charge(account, tokens: $0, at: clock.steady()) }
    }

    /// Nil unless the token was verified before and is still valid.
    func knownSender(of request: Request) -> AccountID? {
        guard let header = try? credential(of: request), let token = cache.withLock({ $0.find(header) }),
            service.clock.now() < token.expiresAt
        else { return nil }
        return token.bearer.account
    }

    func rowsMissing(of account: AccountID) -> Int { rowLimiter?.missing(account, at: service.clock.steady()) ?? 0 }

    func hasUsedMuch(_ account: AccountID) -> Bool {
        guard let limiter else { return false }
        return limiter.missing(account, at: service.clock.steady()) > much.requests || rowsMissing(of: account) > much.rows
    }

    /// Refuses a session that began before an operator's change of number came into force, because it may be on the lost phone. Records a
    /// due change, which ends all sessions.
    private func requirePresentNumber(of bearer: SignedInAs) async throws {
        // All access tokens from before the change have then expired. A clock that is ahead runs at nine tenths, so that a token lives a
        // ninth longer.
        let lifetime = (Limits.accessTokenSeconds + Limits.accessTokenLeadSecondsMax) * 10 / 9
        if let change = try await service.completeDuePhone(of: bearer.account, rememberedFor: lifetime) { end(sessionsEndedBy: change) }
        guard try service.reading({ try $0.session(bearer.session) })?.isEnded == false else {
            // Another request may have recorded the change, but not yet ended the cached sessions.
            end(bearer.session)
            throw Problem(.unauthenticated)
        }
    }

    /// Nil for an anonymous request. Throws as ``admit(_:)`` for an invalid token.
    func admitAnyone(_ request: Request) async throws -> SignedInAs? {
        guard try request.headers.contains(.authorization) || SessionCookie.access.value(in: request) != nil else { return nil }
        return try await admit(request)
    }

    /// The `Authorization` header, or its text for the cookie's token. A request with both is refused: browsers add cookies automatically,
    /// so a page that sends a token may mean another account.
    private func credential(of request: Request) throws(Problem) -> String {
        let header = request.headers.text(of: .authorization)
        guard let cookie = try SessionCookie.access.value(in: request) else {
            guard let header else { throw Problem(.unauthenticated) }
            return header
        }
        guard header == nil else { throw Problem(.unauthenticated) }
        try pages.requireOwn(request)
        return Self.scheme + cookie
    }

    /// Refuses a costly read that another site's page caused: the browser sends the cookie along, and the page could use up its visitor's
    /// budget.
    ///
    /// - Throws: `forbidden`.
    func requireOwnRead(_ request: Request) throws(Problem) {
        guard request.hasSessionCookie, let site = request.headers.text(of: .secFetchSite) else { return }
        guard site == "same-origin" || site == "none" else { throw Problem(.forbidden) }
    }

    /// - Throws: `forbidden` for an account that is not an operator; otherwise like ``admit(_:)``.
    func admitOperator(_ request: Request) async throws -> SignedInAs {
        let bearer = try await admit(request)
        guard let account = try service.reading({ try $0.account(bearer.account) }), service.isOperator(account) else {
            throw Problem(.forbidden)
        }
        return bearer
    }

    /// All its tokens are invalid from now on.
    func end(_ session: SessionID) {
        let now = service.clock.now()
        cache.withLock { $0.end(session, now: now) }
    }

    func end(sessionsEndedBy acceptance: Acceptance) {
        for case .sessionEnded(let event) in acceptance.facts.lazy.map(\.event) { end(event.session) }
    }

    private func verify(_ header: String, since epoch: Int, of request: Request) async throws -> VerifiedToken? {
        guard header.prefix(Self.scheme.count).lowercased() == Self.scheme else { return nil }
        let text = header.dropFirst(Self.scheme.count)
        guard let token = await tokens.verify(String(text), at: service.clock.now()) else { return nil }
        let bearer = token.bearer
        try await awaitBegin(of: bearer.session)
        let (holds, isSuspended) = try service.reading { past in
            guard let session = try past.session(bearer.session), session.account == bearer.account,
                let account = try past.account(bearer.account)
            else { return (false, false) }
            return (!session.isEnded, account.isSuspended)
        }
        // The suspension ended the sessions. This refusal tells the holder the reason.
        if isSuspended { throw Problem.accountSuspended }
        guard holds else { return nil }
        cache.withLock { $0.insert(token, as: header, since: epoch) }
        sightings.note(bearer.session, request)
        return token
    }

    /// Waits for a session that another node may have begun a moment ago. The caller MUST have verified the token.
    private func awaitBegin(of session: SessionID) async throws {
        if case .this = service.writer { return }
        let end = ContinuousClock.now + .seconds(Limits.forwardedCatchUpSeconds)
        // Read first, so that no event is missed.
        var head = service.log.head
        while try service.reading({ try $0.session(session) }) == nil {
            let seconds = (end - .now) / .seconds(1)
            guard seconds > 0, try await service.log.headSignal.reached(head.next, timeoutSeconds: seconds) else { return }
            head = service.log.head
        }
    }
}

/// A signed-in read at a node that may lack ended sessions: ``WriteProxy`` asks another node.
struct StaleNode: Error {
    /// Whether no node knows more.
    @TaskLocal static var isAccepted = false
}

/// A request's sender: an account, through one session.
struct SignedInAs: Hashable, Sendable {
    let account: AccountID
    let session: SessionID
}

/// The time and device of each session's last recorded use, in bounded memory. Recorded when a session begins or is refreshed, and when
/// this process first sees a token. The log leaves the uses out: they would outnumber all other events, and keep browser names for ever.
/// Any thread may call.
final class Sightings: Sendable {
    struct Sighting: Hashable, Sendable {
        let at: Instant
        /// The shortened `User-Agent`.
        let device: String?
    }

    private let sightings = Mutex(GenerationalCache<SessionID, Sighting>(limit: Limits.sightedSessionsMax))
    private let clock: any Clock

    init(clock: any Clock) { self.clock = clock }

    func note(_ session: SessionID, _ request: Request) {
        let sighting = Sighting(at: clock.now(), device: Self.device(request.headers[.userAgent]))
        sightings.withLock { $0[session] = sighting }
    }

    subscript(session: SessionID) -> Sighting? { sightings.withLock { $0[session] } }

    /// Printable ASCII only; nil if there are none.
    private static func device(_ text: String?) -> String? {
        let kept = (text ?? "").unicodeScalars.lazy.filter { (0x20...0x7E).contains($0.value) }.prefix(Limits.deviceCharactersMax)
        return kept.isEmpty ? nil : String(String.UnicodeScalarView(kept))
    }
}
