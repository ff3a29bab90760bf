public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Signs in whoever holds the phone; registers on the first time. The caller has verified the phone.
    public func signIn(_ phone: E164Number, at: Instant? = nil) async throws(ServiceError) -> SignedIn {
        try await startSession(for: try await register(phone, at: at), at: at)
    }

    /// Begins a session of an account whose holder has shown to be there.
    func startSession(for account: Account, at: Instant? = nil) async throws(ServiceError) -> SignedIn {
        let token = RefreshToken(session: newID(), randomness: randomness, keys: keys)
        let command = StartSession(session: token.session, token: keys.secret(ofToken: token.text), expiresAt: sessionEnd())
        let acceptance = try await submit(.startSession(command), by: Caller(account: account.id), at: at)
        return SignedIn(account: account, session: token.session, refreshToken: token.text, acceptance: acceptance)
    }

    /// The account of a phone; made, with its own data key, where there is none.
    public func register(_ phone: E164Number, at: Instant? = nil) async throws(ServiceError) -> Account {
        try await register(identity: phone.text, at: at)
    }

    /// The account known by some identity text: a phone number, or a till's own name for a customer.
    public func register(identity: String, at: Instant? = nil) async throws(ServiceError) -> Account {
        for _ in 0..<Limits.phoneGenerationsMax {
            let command: RegisterAccount
            switch try await registrations(of: [identity])[0] {
            case .known(let account): return account
            case .new(let registration): command = registration
            }
            do throws(ServiceError) {
                return try await register(command, at: at)
            } catch {
                // Somebody registered under this very hash and was erased, all since it was looked up.
                guard error == .rejected(.secretTaken) else { throw error }
            }
        }
        throw Self.registeredTooOften
    }

    /// What it takes that there is an account for each of several identities, all different: their keys are made in one flush.
    ///
    /// For who registers many at once: the commands may be offered together with those that the new accounts give.
    public func registrations(of identities: [String]) async throws(ServiceError) -> [Registration] {
        let found = try holders(of: identities)
        // A crash behind this leaves keys that nothing was sealed under: harmless.
        try await makeKeys(for: found.filter { $0.known == nil }.map(\.id))
        return try registrations(of: identities, found)
    }

    /// Who holds an identity, or which account would be made of it, and the hash under which it stands in the log.
    private typealias Holder = (known: Account?, id: AccountID, secret: Secret)

    private func holders(of identities: [String]) throws(ServiceError) -> [Holder] {
        try identities.map { identity throws(ServiceError) in
            let (known, secret) = try account(of: identity)
            return (known, known?.id ?? newID(), secret)
        }
    }

    private func registrations(of identities: [String], _ holders: [Holder]) throws(ServiceError) -> [Registration] {
        try zip(identities, holders).map { identity, holder throws(ServiceError) in
            if let known = holder.known { return .known(known) }
            let sealed = try seal(identity, as: .phone, of: holder.id)
            return .new(RegisterAccount(account: holder.id, phone: holder.secret, sealedPhone: sealed))
        }
    }

    private func makeKeys(for accounts: [AccountID]) async throws(ServiceError) {
        do {
            try await blocking { [keyStore] in try keyStore.makeKeys(for: accounts) }
        } catch {
            throw .failed(String(describing: error))
        }
    }

    /// The account that holds an identity, and the hash under which it stands in the log; the first free hash where there is none.
    private func account(of identity: String) throws(ServiceError) -> (account: Account?, secret: Secret) {
        for generation in 0..<Limits.phoneGenerationsMax {
            let secret = keys.secret(ofPhone: identity, generation: generation)
            guard let known = try reading({ try $0.account(phone: secret) }) else { return (nil, secret) }
            if !known.isErased { return (known, secret) }
        }
        throw Self.registeredTooOften
    }

    private static let registeredTooOften = ServiceError.failed(
        "a phone was erased and registered anew \(Limits.phoneGenerationsMax) times")

    /// The account that holds a phone; nil where there is none.
    func account(ofPhone phone: E164Number) throws(ServiceError) -> Account? {
        for generation in 0..<Limits.phoneGenerationsMax {
            let secret = keys.secret(ofPhone: phone.text, generation: generation)
            guard let known = try reading({ try $0.account(phone: secret) }) else { return nil }
            if !known.isErased { return known }
        }
        return nil
    }

    private func register(_ command: RegisterAccount, at: Instant?) async throws(ServiceError) -> Account {
        _ = try await submit(.registerAccount(command), by: Caller(account: command.account), at: at)
        // Of two that register one phone at once, the first one's account is both's.
        guard let account = try reading({ try $0.account(phone: command.phone) }) else {
            throw .failed("account vanished: \(command.account.text)")
        }
        return account
    }

    /// Spends a refresh token for a new pair. A token that was spent before ends its whole family.
    ///
    /// - Throws: `.rejected(.sessionNotValid)` for every token that is not good.
    public func refresh(_ text: String) async throws(ServiceError) -> SignedIn {
        guard let presented = RefreshToken(text), let session = try reading({ try $0.session(presented.session) }) else {
            throw .rejected(.sessionNotValid)
        }
        let next = RefreshToken(session: presented.session, randomness: randomness, keys: keys)
        let command = RefreshSession(
            session: presented.session, presented: keys.secret(ofToken: presented.text), next: keys.secret(ofToken: next.text),
            expiresAt: sessionEnd(), isGenuine: presented.isGenuine(by: keys))
        let acceptance: Acceptance
        do {
            acceptance = try await submit(.refreshSession(command), by: Caller(account: session.account))
        } catch {
            // The account was erased, and its sessions with it.
            throw error == .rejected(.notFound) ? .rejected(.sessionNotValid) : error
        }
        guard case .sessionRefreshed = acceptance.facts.first?.event, let account = try reading({ try $0.account(session.account) }) else {
            throw .rejected(.sessionNotValid)
        }
        return SignedIn(account: account, session: session.id, refreshToken: next.text, acceptance: acceptance)
    }

    /// Signs out here.
    public func signOut(_ session: SessionID, by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.endSession(EndSession(session: session)), by: caller)
    }

    /// A new name for a text message.
    public func messageID() -> String {
        TypeID.text("msg", UUIDv7.make(at: clock.now(), random: (randomness.next(), randomness.next())))
    }

    /// The caller's sessions that go on, newest first.
    public func openSessions(of account: AccountID) throws(ServiceError) -> [Session] {
        let now = clock.now()
        let open = try reading { try $0.openSessions(of: account) }
        return open.filter { $0.isAlive(at: now) }.sorted { ($0.startedAt, $0.id) > ($1.startedAt, $1.id) }
    }

    /// Signs out everywhere.
    public func signOutEverywhere(by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.endSessions(EndSessions()), by: caller)
    }

    private func sessionEnd() -> Instant {
        clock.now().advanced(bySeconds: Int64(Loyalty.Limits.sessionValiditySeconds))
    }
}
