internal import Caches
public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec
import Synchronization

/// A change of the caller's own number.
public struct PhoneChange: Sendable {
    let phone: E164Number
    let former: E164Number?
    let code: String
    let currentCode: String?
    let session: SessionID
    let network: SignInNetwork
    let onChange: @Sendable (Acceptance) -> Void

    /// - Parameters:
    ///   - former: see ``TypedPhone/former``.
    ///   - onChange: called once the change is durable, even if a later step fails.
    public init(
        to phone: E164Number, former: E164Number? = nil, code: String, currentCode: String?, keeping session: SessionID,
        from network: SignInNetwork, onChange: @escaping @Sendable (Acceptance) -> Void = { _ in }
    ) {
        (self.phone, self.former, self.code, self.currentCode) = (phone, former, code, currentCode)
        (self.session, self.network) = (session, network)
        self.onChange = onChange
    }
}

extension GreenTea {
    func noteFresh(_ session: SessionID) {
        let now = clock.steady()
        freshSessions.withLock { $0[session] = now }
    }

    /// A code by text message in the last ten minutes began the session. A restart forgets this.
    public func isFresh(_ session: SessionID) -> Bool {
        let now = clock.steady()
        return freshSessions.withLock { $0[session] }.map { now < $0.advanced(bySeconds: Limits.freshSessionSeconds) } ?? false
    }

    /// Changes the caller's number, which ends all other sessions. Cards that waited for the number become the caller's.
    ///
    /// A number of another account is refused like a wrong code, so that nothing reveals who is registered.
    ///
    /// - Throws: `.rejected(.passwordNotValid)` for wrong codes and taken numbers; `.rejected(.sessionNotValid)` if the session must end;
    ///   `.idempotencyKeyReused`; `.tooManyTries`; `.overloaded` while another request changes the number or the account; `.failed`. If the
    ///   key store fails after the change is durable, a retry with the same key gets the answer.
    public func changePhone(_ change: PhoneChange, by caller: Caller) async throws(ServiceError) -> Acceptance {
        if let earlier = try await earlierChange(to: change.phone, by: caller) { return earlier }
        guard let account = try reading({ try $0.account(caller.account) }) else { throw .rejected(.notFound) }
        // A fresh session proves the number from its start. Read after the account: if still open, no change ended it before.
        let now = phoneTime(of: account)
        let isOpen = try reading({ try $0.session(change.session) })?.isEnded == false
        guard isOpen, account.comingPhone?.holds(at: now) != true else { throw .rejected(.sessionNotValid) }
        // Both numbers are those of `now`, so that the command is refused if a requested number comes into force later.
        guard let present = try phone(of: account, at: now) else { throw .rejected(.notFound) }
        var codes: [Verifications.EnteredCode] = []
        if !isFresh(change.session) {
            guard let code = change.currentCode else { throw .rejected(.passwordNotValid) }
            codes.append((code, present))
        }
        codes.append((change.code, change.phone))
        let command = ChangePhone(
            sealedPhone: try seal(change.phone.text, as: .phone, of: account.id), replacing: account.sealedPhone(at: now),
            keeping: change.session)
        try spend(codes, from: change.network)
        var isChanged = false
        let changed: Acceptance?
        do throws(ServiceError) {
            changed = try await self.change(account.id, to: change.phone, displacing: true) { () throws(ServiceError) -> Acceptance in
                if let former = change.former { try await takeCards(waitingForForm: former, by: account.id) }
                let acceptance = try await submit(.changePhone(command), by: caller, at: commandTime(for: account))
                isChanged = true
                change.onChange(acceptance)
                // A fresh session proves the previous number only once.
                freshSessions.withLock { $0[change.session] = nil }
                return acceptance
            }
        } catch {
            if !isChanged { giveBack(codes, after: error) }
            throw error
        }
        guard let changed else { throw .rejected(.passwordNotValid) }
        return changed
    }

    /// Decrypted for the comparison, because the log must not contain a hash of the number.
    private func earlierChange(to phone: E164Number, by caller: Caller) async throws(ServiceError) -> Acceptance? {
        guard try isAnswered(caller), let mark = caller.mark, let earlier = try reading({ try $0.facts(ofRequest: mark.request) })
        else { return nil }
        guard let last = earlier.facts.last, case .phoneChanged(let event) = earlier.facts.first?.event,
            try open(event.sealedPhone, as: .phone, of: caller.account) == phone.text
        else { throw .idempotencyKeyReused }
        // The earlier request may have crashed before this last step.
        try await settlePhones(of: caller.account)
        return Acceptance(position: Position(rawValue: last.position), facts: earlier.facts, cards: [], isReplay: true)
    }

    func spend(_ codes: [Verifications.EnteredCode], from network: SignInNetwork) throws(ServiceError) {
        let areRight: Bool
        let sent = codes.map { ($0.code, $0.phone.verified) }
        do throws(VerificationRefusal) { areRight = try verifications.spend(sent, from: network) } catch {
            guard case .wait(let seconds) = error else { throw .rejected(.passwordNotValid) }
            throw .tooManyTries(seconds: seconds)
        }
        guard areRight else { throw .rejected(.passwordNotValid) }
    }

    /// A retry has no other codes. The request MUST NOT have recorded what they were for.
    public func giveBack(_ codes: [Verifications.EnteredCode], after error: ServiceError) {
        switch error {
        case .overloaded, .failed, .noSecondCopy: verifications.giveBack(codes.map { ($0.code, $0.phone.verified) })
        case .rejected, .idempotencyKeyReused, .tooManyTries, .stopping, .notWriter, .writerUnavailable: break
        }
    }
}
