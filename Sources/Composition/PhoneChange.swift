internal import Caches
public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec
import Synchronization

/// A change of the caller's own number.
public struct PhoneChange: Sendable {
    let phone: E164Number
    /// See ``TypedPhone/former``.
    let former: E164Number?
    let code: String
    let currentCode: String?
    /// The session that stays open when the number changes; all others end.
    let session: SessionID
    let network: SignInNetwork
    let onChange: @Sendable (Acceptance) -> Void

    /// - Parameters:
    ///   - former: the form in which old versions kept the number; cards that wait for it are taken over as well.
    ///   - code: the code sent to the new number.
    ///   - currentCode: the code sent to the present number; nil if the session is fresh, see ``GreenTea/isFresh(_:)``.
    ///   - onChange: called once the change is durable, even if a later step fails. The other sessions have ended by then. It is a part of
    ///     this value for the reason that ``PasswordChange`` has.
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
    /// Remembers that a session was begun just now with a code by text message.
    func noteFresh(_ session: SessionID) {
        let now = clock.steady()
        freshSessions.withLock { $0[session] = now }
    }

    /// Whether a session was begun with a code by text message less than ten minutes ago. A restart forgets this.
    public func isFresh(_ session: SessionID) -> Bool {
        let now = clock.steady()
        return freshSessions.withLock { $0[session] }.map { now < $0.advanced(bySeconds: Limits.freshSessionSeconds) } ?? false
    }

    /// Changes the caller's number. All other sessions end. Cards that shops stamped for the number before anybody registered with it
    /// become the caller's, because the caller has verified the number.
    ///
    /// If another account has the number, the refusal is the same as for a wrong code, so that it does not reveal who is registered.
    ///
    /// - Throws: `.rejected(.passwordNotValid)` for wrong codes and for a number that another account has; `.rejected(.sessionNotValid)` if
    ///   the session has ended, or must end because a number that an operator requested is in force; `.idempotencyKeyReused`;
    ///   `.tooManyTries`; `.overloaded` while the number or the account is being changed by another request; `.failed`. If the key store
    ///   fails after the change is durable, the account has the new number nevertheless, and a retry with the same idempotency key gets the
    ///   answer.
    public func changePhone(_ change: PhoneChange, by caller: Caller) async throws(ServiceError) -> Acceptance {
        if let earlier = try await earlierChange(to: change.phone, by: caller) { return earlier }
        guard let account = try reading({ try $0.account(caller.account) }) else { throw .rejected(.notFound) }
        // A fresh session proves the number that the account had when the session began. If a requested number has replaced that number,
        // the session must end. It is read after the account: if it is still open, no change that ended it was recorded before.
        let now = phoneTime(of: account)
        let isOpen = try reading({ try $0.session(change.session) })?.isEnded == false
        guard isOpen, account.comingPhone?.holds(at: now) != true else { throw .rejected(.sessionNotValid) }
        // The number that is proved and the number to be replaced are both that of `now`. If a requested number comes into force later, the
        // command is refused.
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
                // The claims are not settled yet. If that fails, the change is in the log all the same.
                isChanged = true
                change.onChange(acceptance)
                // A fresh session proves that its holder had the previous number. It can prove this only once, so it is fresh no longer.
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

    /// The acceptance of an earlier request with the same key, if that request was about the same number. The earlier number is decrypted
    /// for the comparison, because the log must not contain a hash of a phone number.
    private func earlierChange(to phone: E164Number, by caller: Caller) async throws(ServiceError) -> Acceptance? {
        guard try isAnswered(caller), let mark = caller.mark, let earlier = try reading({ try $0.facts(ofRequest: mark.request) })
        else { return nil }
        guard let last = earlier.facts.last, case .phoneChanged(let event) = earlier.facts.first?.event,
            try open(event.sealedPhone, as: .phone, of: caller.account) == phone.text
        else { throw .idempotencyKeyReused }
        // The service may have crashed before the last step of the earlier request, which settles the account's claims. So this step is
        // repeated here.
        try await settlePhones(of: caller.account)
        return Acceptance(position: Position(rawValue: last.position), facts: earlier.facts, cards: [], isReplay: true)
    }

    /// Uses up codes that were sent to phone numbers: all of them, or none if one of them is wrong.
    func spend(_ codes: [Verifications.EnteredCode], from network: SignInNetwork) throws(ServiceError) {
        let areRight: Bool
        let sent = codes.map { ($0.code, $0.phone.verified) }
        do throws(VerificationRefusal) { areRight = try verifications.spend(sent, from: network) } catch {
            guard case .wait(let seconds) = error else { throw .rejected(.passwordNotValid) }
            throw .tooManyTries(seconds: seconds)
        }
        guard areRight else { throw .rejected(.passwordNotValid) }
    }

    /// Makes used-up codes valid again if the request that needed them was refused as `.overloaded`, or failed, for example because a disk
    /// is full. The client will repeat that request, and has no other codes for it. The request MUST NOT have recorded what the codes were
    /// for.
    func giveBack(_ codes: [Verifications.EnteredCode], after error: ServiceError) {
        switch error {
        case .overloaded, .failed: verifications.giveBack(codes.map { ($0.code, $0.phone.verified) })
        case .rejected, .idempotencyKeyReused, .tooManyTries, .stopping: break
        }
    }
}
