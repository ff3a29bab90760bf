public import CommandService
import EventLog
import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Counts of the passwords that are being hashed, wait to be, and were.
    public var passwordActivity: PasswordActivity { passwords.counts }

    /// Sets the caller's password, and ends all sessions but the one that is kept.
    ///
    /// The idempotency key's content MUST NOT be made from a password, because that would be a second and fast hash of it. The slow hash
    /// decides here whether a repeated key comes with the same password.
    ///
    /// - Throws: `.rejected(.passwordNotValid)` for a wrong proof, and for a first password without a code; `.idempotencyKeyReused`;
    ///   `.tooManyTries`; `.overloaded`.
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
        if case .code(let code, let network) = change.proof {
            guard let phone = try phone(of: account) else { throw .rejected(.passwordNotValid) }
            try spend(code, of: phone, from: network)
        }
        let sealed = try seal(hash, as: .password, of: caller.account)
        let command = SetPassword(sealedHash: sealed, replacing: account.password?.position, keeping: change.keeping)
        let acceptance = try await submit(.setPassword(command), by: caller)
        // If two requests under one key run concurrently, the second one's password has not been compared yet.
        guard acceptance.isReplay else { return acceptance }
        return try await earlierPassword(change.new, by: caller) ?? acceptance
    }

    /// Removes the caller's password; changes nothing if there is none.
    public func removePassword(by caller: Caller) async throws(ServiceError) -> Acceptance {
        try await submit(.removePassword(RemovePassword()), by: caller)
    }

    /// Signs in by password. It takes the same time for a wrong password, for an account without one, and for an unknown phone.
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
