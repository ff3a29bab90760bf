public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec

/// Methods that find the account of a phone number, and that change an account's number.
///
/// The key store leads from a number to an account. A claim in the key store has an effect only if the account's sealed number in the log
/// is the same, so a claim that is left over from a crash does no harm. Time alone decides whether a requested number is in force; see
/// ``phoneTime(of:at:)``. The event of the change is recorded at the account's next sign-in, refresh or other request, which is refused if
/// its session began before (see ``DuePhones``), or when somebody else registers the replaced number. Until then, all readers of the number
/// check the time as well, and both numbers stay claimed for the account. So if the service started with a clock that was ahead, and no
/// change was recorded, the next start with the right clock finds the account by its number in the log.
extension GreenTea {
    /// The account that holds an identity: a phone number, or a till's own name for a customer.
    enum Holder {
        /// No account, or one that is not registered yet.
        case nobody
        case known(Account)
        /// The account that will have the number later, as an operator requested, unless the account's holder objects.
        case coming(Account)

        var account: Account? {
            switch self {
            case .nobody: nil
            case .known(let account), .coming(let account): account
            }
        }
    }

    /// Finds the account that holds an identity.
    ///
    /// The key store leads from a number to an account. An account that an older version registered is found in the log, by a hash of the
    /// number. The hash differs after each erasure of an account with the number, so several hashes are tried.
    func holder(of identity: String) throws(ServiceError) -> Holder {
        if let claimed = try claimant(of: identity), let known = try reading({ try $0.account(claimed) }) {
            return try standing(of: known, towards: identity)
        }
        for generation in 0..<Limits.phoneGenerationsMax {
            let secret = keys.secret(ofPhone: identity, generation: generation)
            guard let known = try reading({ try $0.account(phone: secret) }) else { return .nobody }
            guard !known.isErased else { continue }
            // The log may still have the hash of this number for an account that has another number now.
            if case .known = try standing(of: known, towards: identity) { return .known(known) }
        }
        return .nobody
    }

    /// Whether an account that claims an identity, such as a phone number, really has it. The account has it unless its sealed number can
    /// be decrypted and is another number. The account then may still get the identity later, if an operator requested that.
    private func standing(of account: Account, towards identity: String) throws(ServiceError) -> Holder {
        let now = phoneTime(of: account)
        guard let number = try open(account.sealedPhone(at: now), as: .phone, of: account.id), number != identity else {
            return .known(account)
        }
        guard let coming = account.comingPhone, try open(coming.sealedPhone, as: .phone, of: account.id) == identity else { return .nobody }
        return .coming(account)
    }

    func claimant(of identity: String) throws(ServiceError) -> AccountID? {
        do { return try keyStore.account(ofPhone: identity) } catch { throw ServiceError(storage: error) }
    }

    /// Whether a number is claimed for an account, registered or not.
    func hasClaim(_ phone: E164Number) throws(ServiceError) -> Bool { try claimant(of: phone.text) != nil }

    /// The account that holds a phone number; nil if there is none.
    func account(ofPhone phone: E164Number) throws(ServiceError) -> Account? {
        if case .known(let account) = try holder(of: phone.text) { account } else { nil }
    }

    /// The number of an account that is in force at `time` (at the present time if `time` is nil); nil if it cannot be decrypted, for
    /// example after an erasure.
    public func phone(of account: Account, at time: Instant? = nil) throws(ServiceError) -> E164Number? {
        try open(account.sealedPhone(at: phoneTime(of: account, at: time)), as: .phone, of: account.id).flatMap { E164Number($0) }
    }

    /// The number that an operator requested for an account, if it is not in force yet at `time` (at the present time if `time` is nil).
    /// Nil if no number is requested, or the requested one is in force.
    public func comingPhone(of account: Account, at time: Instant? = nil) throws(ServiceError) -> (number: String, holdsAt: Instant)? {
        guard let coming = account.comingPhone, !coming.holds(at: phoneTime(of: account, at: time)) else { return nil }
        return try open(coming.sealedPhone, as: .phone, of: account.id).map { ($0, coming.holdsAt) }
    }

    /// Removes the claim on a number if the claim has no effect. There are three such cases:
    ///
    /// - the account was erased, but its key is not destroyed yet;
    /// - nobody has registered with the number before the end of the ninety days for which it was reserved;
    /// - the claim remains from a change of an account's number.
    ///
    /// - Parameter account: an account whose lock the caller holds.
    /// - Throws: `.overloaded` if the number's account is being changed by another request, or if a requested number replaced the number
    ///   after the caller called ``completePhoneChange(from:besides:)``.
    @available(*, noasync)
    func endClaim(on number: String, holding account: AccountID? = nil) throws {
        guard let holder = try keyStore.account(ofPhone: number) else { return }
        if let known = try reading({ try $0.account(holder) }) {
            guard case .nobody = try standing(of: known, towards: number) else { return }
            if holder == account { return try settle(known) }
            // The number is the account's until the change is recorded.
            guard try open(known.sealedPhone, as: .phone, of: holder) != number else { throw ServiceError.overloaded }
            // If another request is changing that account's number now, the claim belongs to that request.
            guard numberLocks.hold([holder.value]) else { throw ServiceError.overloaded }
            defer { numberLocks.release([holder.value]) }
            return try settle(known)
        }
        let isErased = try reading { try $0.wasErased(holder) }
        guard try isErased || endOfWaiting(holder) <= forward.passed() else { return }
        try keyStore.destroyKey(of: holder)
    }

    /// The time until which a number is reserved for a person who has not registered: ninety days after the newest stamp for the number, or
    /// after the claim if nothing was stamped. These times follow from the log and from the account's id, so no data about the number is
    /// kept.
    ///
    /// When the reservation ends, the person's cards are lost and cannot be restored. So the clock used is ``ForwardClock/passed()``: if
    /// the machine's clock is set ahead for a moment, nobody loses cards. But if the clock is wrong when the service starts, the service
    /// cannot notice it.
    private func endOfWaiting(_ holder: AccountID) throws -> Instant {
        var since = UUIDv7.time(of: holder.value)
        let tag = Tag(kind: .account, value: holder.value)
        if let newest = try log.lastPosition(of: tag, type: .cardStamped), let stamped = try log.event(at: newest) {
            since = max(since, Instant(microseconds: stamped.event.time.microseconds))
        }
        return since.advanced(bySeconds: Limits.waitingSeconds)
    }

    /// Makes an account's claims on phone numbers in the key store agree with the log. No clock is read: a requested number that is due
    /// stays the coming one, beside the number that it replaces, until the change is recorded.
    @available(*, noasync)
    private func settle(_ account: Account) throws {
        guard let number = try open(account.sealedPhone, as: .phone, of: account.id) else { return }
        let coming = try account.comingPhone.flatMap { try open($0.sealedPhone, as: .phone, of: account.id) }
        try keyStore.settle(account.id, number: number, coming: coming)
    }

    func settlePhones(of account: AccountID) async throws(ServiceError) {
        guard let known = try reading({ try $0.account(account) }) else { return }
        try await onThread { [self] in try settle(known) }
    }

    /// Runs work that changes an account's number without a new claim, while no other request can change it. Then settles the account's
    /// claims.
    func alone(
        with account: AccountID, _ work: () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance {
        guard numberLocks.hold([account.value]) else { throw .overloaded }
        defer { numberLocks.release([account.value]) }
        let acceptance = try await work()
        try await settlePhones(of: account)
        return acceptance
    }

    /// Runs work on the key store on a thread of Dispatch.
    func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(ServiceError) -> Value {
        do { return try await blocking(work) } catch let error as ServiceError { throw error } catch {
            throw ServiceError(storage: error)
        }
    }

    /// Whether no other account has the number, and no operator has requested it for another account.
    func isFree(_ phone: E164Number, for account: AccountID) throws(ServiceError) -> Bool {
        try holder(of: phone.text).account.map { $0.id == account } ?? true
    }

    /// Claims a number for an account. If `displacing` is true, the caller MUST have verified the number, and the claim of a person who has
    /// not registered is taken over, together with the cards that shops stamped for that person. If it is false, nobody has verified the
    /// number yet, and the cards wait under another name; see ``takeCards(setAsideFor:by:)``.
    ///
    /// The cards are taken over before the claim. So a crash in between leaves all cards with the account or with the claim, and a retry
    /// continues. The account keeps the cards if the change is refused after that, because it has verified their number.
    ///
    /// - Returns: whether the account may have the number. False if another account has it, if an operator requested it for another
    ///   account, or if cards already wait under the other name.
    private func claim(_ phone: E164Number, for account: AccountID, displacing: Bool) async throws(ServiceError) -> Bool {
        guard try isFree(phone, for: account) else { return false }
        try await completePhoneChange(from: phone.text, besides: account)
        let holder = try await onThread { [self] in
            try endClaim(on: phone.text, holding: account)
            return try keyStore.claimNext(phone.text, for: account)
        }
        var isMine = holder == account
        if !isMine {
            guard try reading({ try $0.account(holder) }) == nil else { throw .overloaded }
            // While the number's lock is held, no stamp can arrive between this step and the end of the claim.
            if displacing { try await takeCards(waitingFor: holder, by: account) }
            isMine = try await onThread { [self] in
                try endClaim(on: KeyStore.setAside(phone.text))
                _ = displacing ? try keyStore.destroyKey(of: holder) : try keyStore.setAside(holder, from: phone.text)
                return try keyStore.claimNext(phone.text, for: account) == account
            }
        }
        if isMine, displacing { try await takeCards(setAsideFor: phone, by: account) }
        return isMine
    }

    /// Takes over the cards that waited for a number when an operator requested it for an account. The caller MUST have verified the
    /// number for `account`.
    func takeCards(setAsideFor phone: E164Number, by account: AccountID) async throws(ServiceError) {
        try await takeCards(waitingUnder: KeyStore.setAside(phone.text), by: account)
    }

    /// Takes over the cards that wait under a name, and ends the name's claim. Does nothing if the name is that of an account.
    func takeCards(waitingUnder name: String, by account: AccountID) async throws(ServiceError) {
        guard let claimant = try claimant(of: name), try reading({ try $0.account(claimant) }) == nil else { return }
        let holder = try await onThread { [self] in
            try endClaim(on: name)
            return try keyStore.account(ofPhone: name)
        }
        guard let holder else { return }
        try await takeCards(waitingFor: holder, by: account)
        _ = try await onThread { [self] in try keyStore.destroyKey(of: holder) }
    }

    /// Takes over the cards of a person who has not registered, in the order in which they were opened.
    private func takeCards(waitingFor holder: AccountID, by account: AccountID) async throws(ServiceError) {
        let opened = try reading { past in try past.facts([.cardOpened], Tag(kind: .account, value: holder.value)) }
        for card in opened.compactMap(\.event.card) {
            // A retry, or a card whose time is over, costs the writer nothing.
            guard let known = try reading({ try $0.card(card) }), known.holder == holder, known.isHeld else { continue }
            _ = try await submit(.takeWaitingCard(TakeWaitingCard(card: card)), by: Caller(account: account))
        }
    }

    /// Changes an account's number: makes the claim, submits the event, and releases the claims that are no longer needed.
    ///
    /// If the command is refused, the new claim is released as well. A crash leaves at most a claim that has no effect.
    func change(
        _ account: AccountID, to phone: E164Number, displacing: Bool, submit command: () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance? {
        let names: Set<UInt128> = [keys.phoneName(of: phone.text), account.value]
        guard numberLocks.hold(names) else { throw .overloaded }
        defer { numberLocks.release(names) }
        // An earlier change may have failed at its last step. The key store remembers only one claim of an account that is not settled.
        try await settlePhones(of: account)
        guard try await claim(phone, for: account, displacing: displacing) else { return nil }
        let acceptance: Acceptance
        do { acceptance = try await command() } catch {
            // If the service is stopping, it is unknown whether the log has the event. The next start settles the claim.
            if error != .stopping { try await settlePhones(of: account) }
            throw error
        }
        try await settlePhones(of: account)
        return acceptance
    }
}

extension KeyStore {
    /// Makes claims agree with the log: those that a crash left between the claim and the event of a change of number, and those of
    /// `moved`, whose number changed in events that no start has searched yet. If the keys were restored from an older copy, those accounts
    /// still have the claims of the copy's time, and nobody could sign in to them with their present numbers.
    ///
    /// No clock is read, because the clock may be wrong at a start: an account keeps its claims on its number in the log and on a requested
    /// number, even if that is due.
    ///
    /// The keys of erased accounts MUST be destroyed before, because otherwise their claims would keep their numbers from those accounts.
    @available(*, noasync)
    func finishPhoneChanges(of moved: [AccountID], in log: EventLog) throws {
        let past = LogPast(log)
        let accounts = Set(try unsettledAccounts() + moved)
        // An account's present number may still be claimed for another account that had it earlier. The first pass removes all such claims,
        // and the second pass makes the claims that are still missing.
        for _ in 0..<2 {
            for id in accounts {
                guard let account = try past.account(id), let key = try key(of: id) else { continue }
                func text(_ sealed: Sealed) -> String? { Sealing.open(sealed, field: .phone, of: id, under: key) }
                guard let number = text(account.sealedPhone) else { continue }
                let coming = account.comingPhone.flatMap { text($0.sealedPhone) }
                // A number may be claimed for a person who has not registered. The change or request that is in the log had ended that
                // claim, and perhaps nobody has taken its cards yet.
                for number in [number, coming].compactMap(\.self) {
                    guard let holder = try self.account(ofPhone: number), holder != id, try past.account(holder) == nil else { continue }
                    if try !setAside(holder, from: number) { try destroyKey(of: holder) }
                }
                try settleUnscrubbed(id, number: number, coming: coming)
            }
        }
        // Old keys may need a change of many accounts. The file is rewritten once for all of them.
        try finishSettling()
    }
}
