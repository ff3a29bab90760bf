public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    public var passwordActivity: PasswordActivity { passwords.counts }

    /// Sets the caller's password, and ends all of the account's sessions except `change.keeping`.
    ///
    /// The hash of a request's content MUST NOT cover a password, as it would be a fast hash of it. So the slow hash tells whether a retry
    /// is the same.
    ///
    /// - Throws: `.rejected(.passwordNotValid)`; `.idempotencyKeyReused`; `.tooManyTries`; `.overloaded` and `.failed`, after which a code
    ///   stays valid.
    public func setPassword(_ change: PasswordChange, by caller: Caller) async throws(ServiceError) -> Acceptance {
        if let earlier = try await earlierPassword(change.new, by: caller) { return earlier }
        guard let account = try reading({ try $0.account(caller.account) }) else { throw .rejected(.notFound) }
        if case .current(let current) = change.proof {
            guard account.password != nil else { throw .rejected(.passwordNotValid) }
            let isRight = try await matches(current, account)
            guard isRight else { throw .rejected(.passwordNotValid) }
        }
        let hash = try await passwords.hash(change.new, salt: randomness.bytes(PasswordHash.saltBytes))
        let sealed = try seal(hash, as: .password, of: caller.account)
        // Checked last, so that a busy hasher does not use the code up.
        var codes: [Verifications.EnteredCode] = []
        if case .code(let code, let network) = change.proof {
            guard let phone = try phone(of: account) else { throw .rejected(.passwordNotValid) }
            codes.append((code, phone))
            try spend(codes, from: network)
        }
        let command = SetPassword(sealedHash: sealed, replacing: account.password?.position, keeping: change.keeping)
        let acceptance: Acceptance
        do throws(ServiceError) { acceptance = try await submit(.setPassword(command), by: caller) } catch {
            giveBack(codes, after: error)
            throw error
        }
        // A concurrent request with the same key may have set another password.
        guard acceptance.isReplay else { return acceptance }
        return try await earlierPassword(change.new, by: caller) ?? acceptance
    }

    /// Signs in by password. A wrong password, no password and an unknown phone take equally long.
    ///
    /// - Returns: nil in all these cases.
    /// - Throws: `.rejected(.passwordNotValid)` if password or number change meanwhile; `.overloaded`.
    public func signIn(_ phone: E164Number, password: String) async throws(ServiceError) -> SignedIn? {
        let account = try account(ofPhone: phone)
        let isRight = try await matches(password, account)
        guard isRight, let account else { return nil }
        return try await startSession(with: SignInProof(account: account, phone: phone, password: account.password?.position))
    }

    /// Proves that the caller holds an account, and uses up the code. A code proves the number, whatever it was asked for: with a purpose
    /// of its own it would protect nothing, because whoever has it could sign in, which is a proof too.
    ///
    /// - Returns: the code, to be given back if the proven act fails.
    /// - Throws: `.rejected(.passwordNotValid)`; `.tooManyTries`; `.overloaded`.
    public func prove(_ proof: PasswordProof, of account: AccountID) async throws(ServiceError) -> [Verifications.EnteredCode] {
        guard let known = try reading({ try $0.account(account) }) else { throw .rejected(.notFound) }
        guard case .code(let code, let network) = proof else {
            guard case .current(let password) = proof, try await matches(password, known) else { throw .rejected(.passwordNotValid) }
            return []
        }
        guard let phone = try phone(of: known) else { throw .rejected(.passwordNotValid) }
        let codes: [Verifications.EnteredCode] = [(code, phone)]
        try spend(codes, from: network)
        return codes
    }

    /// Always hashes once, so that the time does not reveal whether there is an account or a password.
    private func matches(_ password: String, _ account: Account?) async throws(ServiceError) -> Bool {
        var hash: PasswordHash?
        if let account, let kept = account.password {
            hash = try open(kept.sealedHash, as: .password, of: account.id).flatMap { PasswordHash(text: $0) }
        }
        return try await passwords.matches(password, hash)
    }

    private func earlierPassword(_ new: String, by caller: Caller) async throws(ServiceError) -> Acceptance? {
        guard try isAnswered(caller), let mark = caller.mark, let earlier = try reading({ try $0.facts(ofRequest: mark.request) })
        else { return nil }
        guard let last = earlier.facts.last, case .passwordSet(let event) = earlier.facts.first?.event else { throw .idempotencyKeyReused }
        let text = try open(event.sealedHash, as: .password, of: caller.account) ?? ""
        let isSame = try await passwords.matches(new, PasswordHash(text: text))
        guard isSame else { throw .idempotencyKeyReused }
        return Acceptance(position: Position(rawValue: last.position), facts: earlier.facts, cards: [], isReplay: true)
    }
}
