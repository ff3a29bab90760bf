public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec

/// A proof that a person is the holder of an account. One value for the reason of ``PasswordChange``.
struct SignInProof: Sendable {
    let account: Account
    let phone: E164Number
    /// nil if a code was checked.
    let password: UInt64?
}

extension GreenTea {
    /// Signs in the holder of a phone number, and registers an account the first time. The caller MUST have verified the number.
    ///
    /// - Throws: `.rejected(.passwordNotValid)` for a requested number not yet in force, and for one replaced meanwhile.
    public func signIn(_ phone: E164Number, at: Instant? = nil) async throws(ServiceError) -> SignedIn {
        let account = try await register(phone, at: at)
        let signedIn = try await startSession(with: SignInProof(account: account, phone: phone, password: nil), at: at)
        noteFresh(signedIn.session)
        // If this fails, the next sign-in goes on with it.
        try? await takeCards(setAsideFor: phone, by: account.id)
        return signedIn
    }

    /// Begins a session; the caller MUST have checked the proof. A due change of number is recorded first.
    ///
    /// - Throws: `.rejected(.passwordNotValid)` if number or password have changed.
    func startSession(with proof: SignInProof, at: Instant? = nil) async throws(ServiceError) -> SignedIn {
        let found = proof.account
        let now = phoneTime(of: found)
        let number = found.sealedPhone(at: now)
        // A requested number may have come into force since the look-up.
        if let present = try open(number, as: .phone, of: found.id), present != proof.phone.text { throw .rejected(.passwordNotValid) }
        // With the same moment, the decision refuses a sign-in if a change is due only later.
        let isDue = found.comingPhone?.holds(at: now) == true
        let change = try await isDue ? completePhoneChange(of: found) : nil
        guard let account = change == nil ? found : try reading({ try $0.account(found.id) }) else { throw .rejected(.notFound) }
        let token = RefreshToken(session: newID(), randomness: randomness, keys: keys)
        let command = StartSession(
            session: token.session, token: keys.secret(ofToken: token.text), expiresAt: sessionEnd(), phone: number,
            password: proof.password)
        let acceptance = try await submit(.startSession(command), by: Caller(account: account.id), at: at ?? commandTime(for: account))
        return SignedIn(account: account, session: token.session, refreshToken: token.text, acceptance: acceptance, phoneChange: change)
    }

    /// Created with its own data key if missing.
    public func register(_ phone: E164Number, at: Instant? = nil) async throws(ServiceError) -> Account {
        try await register(identity: phone.text, at: at)
    }

    /// A phone number, or a till's own name for a customer; its account is created if missing.
    public func register(identity: String, at: Instant? = nil) async throws(ServiceError) -> Account {
        let name = keys.phoneName(of: identity)
        guard numberLocks.share(name) else { throw .overloaded }
        return try await locked { [numberLocks] in
            numberLocks.endSharing(name)
        } while: { () throws(ServiceError) -> Account in
            if case .coming = try holder(of: identity) { throw .rejected(.passwordNotValid) }
            for _ in 0..<Limits.registrationTriesMax {
                let command: RegisterAccount
                switch try await registrations(of: [identity])[0] {
                case .known(let account): return account
                case .new(let registration): command = registration
                }
                do throws(ServiceError) {
                    return try await register(command, at: at)
                } catch {
                    // The account was registered and erased meanwhile, so retry.
                    guard error == .rejected(.secretTaken) else { throw error }
                }
            }
            throw Self.registeredTooOften
        }
    }

    public func account(ofIdentity identity: String) throws(ServiceError) -> AccountID? { try holder(of: identity).account?.id }

    /// The account of each identity, or the command that registers it. The identities MUST differ. One flush makes all new data keys
    /// durable.
    public func registrations(of identities: [String]) async throws(ServiceError) -> [Registration] {
        let known = try identities.map { identity throws(ServiceError) in try holder(of: identity).account }
        let unknown = zip(identities, known).filter { $0.1 == nil }.map { KeyStore.PhoneClaim(number: $0.0, account: newID()) }
        var new = try await claim(unknown)[...]
        return known.map { known in known.map { .known($0) } ?? .new(new.removeFirst()) }
    }

    /// After a crash the next registration uses the claims.
    private func claim(_ claims: [KeyStore.PhoneClaim]) async throws(ServiceError) -> [RegisterAccount] {
        try requireSeat()
        for claim in claims { try await completePhoneChange(from: claim.number) }
        return try await onThread { [self] in
            for claim in claims { try endClaim(on: claim.number) }
            let holders = try keyStore.claim(claims)
            try deliver(keysOf: holders.map(\.account), unless: hasCard)
            return try zip(claims, holders).map { claim, holder in
                let sealed = try Sealing.seal(
                    claim.number, field: .phone, of: holder.account, under: holder.key, nonce: randomness.bytes(Sealing.nonceLength))
                return RegisterAccount(account: holder.account, phone: keys.secret(inPlaceOfPhone: holder.account), sealedPhone: sealed)
            }
        }
    }

    private func hasCard(_ holder: AccountID) throws -> Bool {
        try log.lastPosition(of: Tag(kind: .account, value: holder.value), type: .cardOpened) != nil
    }

    private static let registeredTooOften = ServiceError.failed("a phone was erased again and again while it was being registered")

    private func register(_ command: RegisterAccount, at: Instant?) async throws(ServiceError) -> Account {
        _ = try await submit(.registerAccount(command), by: Caller(account: command.account), at: at)
        // Concurrent registrations of one phone get the same account.
        guard let account = try reading({ try $0.account(phone: command.phone) }) else {
            throw .failed("account vanished: \(command.account.text)")
        }
        return account
    }

    /// Exchanges a refresh token for a new one. A reused token ends its session.
    ///
    /// - Throws: `.rejected(.sessionNotValid)` for every token that is not valid.
    public func refresh(_ text: String) async throws(ServiceError) -> SignedIn {
        guard let presented = RefreshToken(text), let session = try reading({ try $0.session(presented.session) }) else {
            throw .rejected(.sessionNotValid)
        }
        let next = RefreshToken(session: presented.session, randomness: randomness, keys: keys)
        _ = try await completePhoneChange(ofSession: session.id)
        let command = RefreshSession(
            session: presented.session, presented: keys.secret(ofToken: presented.text), next: keys.secret(ofToken: next.text),
            expiresAt: sessionEnd(), isGenuine: presented.isGenuine(by: keys))
        let acceptance: Acceptance
        do {
            acceptance = try await submit(.refreshSession(command), by: Caller(account: session.account))
        } catch {
            // An erasure ends the account's sessions.
            throw error == .rejected(.notFound) ? .rejected(.sessionNotValid) : error
        }
        guard case .sessionRefreshed = acceptance.facts.first?.event, let account = try reading({ try $0.account(session.account) }) else {
            throw .rejected(.sessionNotValid)
        }
        return SignedIn(account: account, session: session.id, refreshToken: next.text, acceptance: acceptance)
    }

    public func messageID() -> String {
        TypeID.text("msg", UUIDv7.make(at: clock.now(), random: (randomness.next(), randomness.next())))
    }

    public func openSessions(of account: AccountID, through position: Position? = nil) throws(ServiceError) -> [Session] {
        let now = clock.now()
        let open = try reading(through: position) { try $0.openSessions(of: account) }
        return open.filter { $0.isAlive(at: now) }.sorted { ($0.startedAt, $0.id) > ($1.startedAt, $1.id) }
    }

    private func sessionEnd() -> Instant { clock.now().advanced(bySeconds: Int64(Loyalty.Limits.sessionValiditySeconds)) }
}
