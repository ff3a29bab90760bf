import EventLog
import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Counts of the passwords that are being hashed, wait to be, and were.
    public var passwordActivity: PasswordActivity { passwords.counts }

    /// Gives the caller a password, or another one, and ends all sessions but the one that is kept.
    ///
    /// The idempotency key's content MUST NOT be made from a password: it would be a second hash of it, and a fast one. Whether a
    /// repeated key comes with the same password is found out here, by the slow one.
    ///
    /// - Throws: `.rejected(.passwordNotValid)` where the proof is wrong, and for the first password where it is none but a password;
    ///   `.idempotencyKeyReused`; `.tooManyTries`; `.overloaded`.
    public func setPassword(_ change: PasswordChange, by caller: Caller) async throws(ServiceError) -> Acceptance {
        if let earlier = try await earlierPassword(change.new, by: caller) { return earlier }
        guard let account = try reading({ try $0.account(caller.account) }) else { throw .rejected(.notFound) }
        if case .current(let current) = change.proof {
            guard account.password != nil else { throw .rejected(.passwordNotValid) }
            let isRight = try await matches(current, account)
            guard isRight else { throw .rejected(.passwordNotValid) }
        }
        let hash = try await passwords.hash(change.new, salt: randomness.bytes(PasswordHash.saltBytes))
        // Last, so that a code is not spent for a request that finds the hasher busy.
        if case .code(let code, let network) = change.proof { try spend(code, of: account, from: network) }
        let sealed = try seal(hash, as: .password, of: caller.account)
        let command = SetPassword(sealedHash: sealed, replacing: account.password?.position, keeping: change.keeping)
        let acceptance = try await submit(.setPassword(command), by: caller)
        // Two requests under one key at once: of the second, nobody has looked yet whether it was for the same password.
        guard acceptance.isReplay else { return acceptance }
        return try await earlierPassword(change.new, by: caller) ?? acceptance
    }

    /// Spends a code that was sent to the account's own number.
    private func spend(_ code: String, of account: Account, from network: SignInNetwork) throws(ServiceError) {
        guard let text = try open(account.sealedPhone, as: .phone, of: account.id), let phone = E164Number(text) else {
            throw .rejected(.passwordNotValid)
        }
        let isRight: Bool
        do throws(VerificationRefusal) { isRight = try verifications.spend(code, for: phone, from: network) } catch {
            guard case .wait(let seconds) = error else { throw .rejected(.passwordNotValid) }
            throw .tooManyTries(seconds: seconds)
        }
        guard isRight else { throw .rejected(.passwordNotValid) }
    }

    /// Takes the caller's password away; changes nothing where they have none.
    public func removePassword(by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.removePassword(RemovePassword()), by: caller)
    }

    /// Signs in by password. Takes the same time for a wrong one, for an account without one, and for a phone that nobody has.
    ///
    /// - Returns: nil for all of these.
    /// - Throws: `.overloaded`.
    public func signIn(_ phone: E164Number, password: String) async throws(ServiceError) -> SignedIn? {
        let account = try account(ofPhone: phone)
        let isRight = try await matches(password, account)
        guard isRight, let account else { return nil }
        return try await startSession(for: account)
    }

    /// Hashes once, whatever there is to compare with.
    private func matches(_ password: String, _ account: Account?) async throws(ServiceError) -> Bool {
        var hash: PasswordHash?
        if let account, let kept = account.password {
            hash = try open(kept.sealedHash, as: .password, of: account.id).flatMap { PasswordHash(text: $0) }
        }
        return try await passwords.matches(password, hash)
    }

    /// The effect of an earlier request with the same key, if it set the same password.
    private func earlierPassword(_ new: String, by caller: Caller) async throws(ServiceError) -> Acceptance? {
        guard let mark = caller.mark, let earlier = try reading({ try $0.facts(ofRequest: mark.request) }) else { return nil }
        guard earlier.digest == mark.digest, let last = earlier.facts.last, case .passwordSet(let event) = earlier.facts.first?.event else {
            throw .idempotencyKeyReused
        }
        let text = try open(event.sealedHash, as: .password, of: caller.account) ?? ""
        let isSame = try await passwords.matches(new, PasswordHash(text: text))
        guard isSame else { throw .idempotencyKeyReused }
        return Acceptance(position: Position(rawValue: last.position), facts: earlier.facts, cards: [], isReplay: true)
    }
}
