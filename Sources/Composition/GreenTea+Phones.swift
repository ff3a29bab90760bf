public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec

/// Finds the account of a phone number, and changes an account's number.
///
/// A claim in the key store counts only if the account's sealed number in the log agrees, so a crash's left-over claim does no harm. Time
/// alone brings a requested number into force, see ``phoneTime(of:at:)``; until a request records that, both numbers stay claimed.
extension GreenTea {
    /// The account of an identity: a phone number, or a till's own name for a customer.
    enum Holder {
        case nobody
        case known(Account)
        /// An operator requested the number; not yet in force.
        case coming(Account)

        var account: Account? {
            switch self {
            case .nobody: nil
            case .known(let account), .coming(let account): account
            }
        }
    }

    /// Older accounts are found by a hash in the log, which each erasure changes, so several are tried.
    func holder(of identity: String) throws(ServiceError) -> Holder {
        if let claimed = try claimant(of: identity), let known = try reading({ try $0.account(claimed) }) {
            return try standing(of: known, towards: identity)
        }
        for generation in 0..<Limits.phoneGenerationsMax {
            let secret = keys.secret(ofPhone: identity, generation: generation)
            guard let known = try reading({ try $0.account(phone: secret) }) else { return .nobody }
            guard !known.isErased else { continue }
            if case .known = try standing(of: known, towards: identity) { return .known(known) }
        }
        return .nobody
    }

    /// A claim counts unless the sealed number can be decrypted and differs.
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

    func hasClaim(_ phone: E164Number) throws(ServiceError) -> Bool { try claimant(of: phone.text) != nil }

    func account(ofPhone phone: E164Number) throws(ServiceError) -> Account? {
        if case .known(let account) = try holder(of: phone.text) { account } else { nil }
    }

    /// nil if it cannot be decrypted, for example after an erasure.
    public func phone(of account: Account, at time: Instant? = nil) throws(ServiceError) -> E164Number? {
        try open(account.sealedPhone(at: phoneTime(of: account, at: time)), as: .phone, of: account.id).flatMap { E164Number($0) }
    }

    /// nil if none is requested, or if it is in force at `time`.
    public func comingPhone(of account: Account, at time: Instant? = nil) throws(ServiceError) -> (number: String, holdsAt: Instant)? {
        guard let coming = account.comingPhone, !coming.holds(at: phoneTime(of: account, at: time)) else { return nil }
        return try open(coming.sealedPhone, as: .phone, of: account.id).map { ($0, coming.holdsAt) }
    }

    /// Removes a number's claim if it has no effect: after an erasure, a change of number, or a reservation.
    ///
    /// - Parameter account: an account whose lock the caller holds.
    /// - Throws: `.overloaded` while another request changes the number's account, or if a requested number came into force meanwhile.
    @available(*, noasync)
    func endClaim(on number: String, holding account: AccountID? = nil) throws {
        guard let holder = try keyStore.account(ofPhone: number) else { return }
        if let known = try reading({ try $0.account(holder) }) {
            guard case .nobody = try standing(of: known, towards: number) else { return }
            if holder == account { return try settle(known) }
            // The number is the account's until the change is recorded.
            guard try open(known.sealedPhone, as: .phone, of: holder) != number else { throw ServiceError.overloaded }
            // The claim may belong to the request that changes that account now.
            guard numberLocks.hold([holder.value]) else { throw ServiceError.overloaded }
            defer { numberLocks.release([holder.value]) }
            return try settle(known)
        }
        let isErased = try reading { try $0.wasErased(holder) }
        guard try isErased || endOfWaiting(holder) <= forward.passed() else { return }
        try keyStore.destroyKey(of: holder)
    }

    /// Ninety days after the newest stamp, offer of work or the claim, which follows from the log and the id.
    ///
    /// The end loses the person's cards for good, so ``ForwardClock/passed()`` counts, which a clock set ahead does not change.
    private func endOfWaiting(_ holder: AccountID) throws -> Instant {
        var since = UUIDv7.time(of: holder.value)
        let tag = Tag(kind: .account, value: holder.value)
        for type in [EventType.cardStamped, .staffInvited] {
            guard let newest = try log.lastPosition(of: tag, type: type), let found = try log.event(at: newest) else { continue }
            since = max(since, Instant(microseconds: found.event.time.microseconds))
        }
        return since.advanced(bySeconds: Limits.waitingSeconds)
    }

    /// Makes an account's claims agree with the log. Without a clock: a due number stays claimed beside the old one until the change is
    /// recorded.
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

    /// Runs work with the account locked, then settles its claims.
    func alone(
        with account: AccountID, _ work: () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance {
        guard numberLocks.hold([account.value]) else { throw .overloaded }
        return try await locked { [numberLocks] in
            numberLocks.release([account.value])
        } while: { () throws(ServiceError) -> Acceptance in
            let acceptance = try await work()
            try await settlePhones(of: account)
            return acceptance
        }
    }

    /// Runs work under a lock on numbers. The lock ends once the work's command can add no event any more, or somebody else could get the
    /// number before that event.
    func locked<Value>(
        until release: @escaping @Sendable () -> Void, while work: () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        do {
            let value = try await work()
            release()
            return value
        } catch {
            if error == .writerUnavailable, let seat { seat.afterOutcomes(release) } else { release() }
            throw error
        }
    }

    func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(ServiceError) -> Value {
        do { return try await blocking(work) } catch let error as ServiceError { throw error } catch {
            throw ServiceError(storage: error)
        }
    }

    /// Whether the number is neither another account's nor requested for one.
    func isFree(_ phone: E164Number, for account: AccountID) throws(ServiceError) -> Bool {
        try holder(of: phone.text).account.map { $0.id == account } ?? true
    }

    /// Claims a number for an account. `displacing` takes over an unregistered person's claim and cards, and MUST follow a verification.
    /// Otherwise the cards wait, see ``takeCards(setAsideFor:by:)``.
    ///
    /// The cards move before the claim, so that a retry after a crash continues.
    ///
    /// - Returns: false if the number is not free, or if cards already wait under the other name.
    private func claim(_ phone: E164Number, for account: AccountID, displacing: Bool) async throws(ServiceError) -> Bool {
        try requireSeat()
        guard try isFree(phone, for: account) else { return false }
        try await completePhoneChange(from: phone.text, besides: account)
        let holder = try await onThread { [self] in
            try endClaim(on: phone.text, holding: account)
            return try claimNext(phone, for: account)
        }
        var isMine = holder == account
        if !isMine {
            guard try reading({ try $0.account(holder) }) == nil else { throw .overloaded }
            // The number's lock keeps stamps away until the claim is made.
            if displacing { try await takeCards(waitingFor: holder, by: account) }
            isMine = try await onThread { [self] in
                try endClaim(on: KeyStore.setAside(phone.text))
                _ = displacing ? try keyStore.destroyKey(of: holder) : try keyStore.setAside(holder, from: phone.text)
                return try claimNext(phone, for: account) == account
            }
        }
        if isMine, displacing { try await takeCards(setAsideFor: phone, by: account) }
        return isMine
    }

    @available(*, noasync)
    private func claimNext(_ phone: E164Number, for account: AccountID) throws -> AccountID {
        let claimant = try keyStore.claimNext(phone.text, for: account)
        guard claimant == account else { return claimant }
        // An earlier attempt may have set the cards aside, and delivered nothing.
        let waiting = try keyStore.account(ofPhone: KeyStore.setAside(phone.text))
        try deliver(keysOf: [waiting, account].compactMap(\.self))
        return account
    }

    /// Cards set aside when an operator requested the number. The caller MUST have verified it for `account`.
    func takeCards(setAsideFor phone: E164Number, by account: AccountID) async throws(ServiceError) {
        try await takeCards(waitingUnder: KeyStore.setAside(phone.text), by: account)
    }

    /// Does nothing if an account has the name.
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

    /// In the order of opening; then the offers of work that wait for the person.
    private func takeCards(waitingFor holder: AccountID, by account: AccountID) async throws(ServiceError) {
        let opened = try reading { past in try past.facts([.cardOpened], Tag(kind: .account, value: holder.value)) }
        for card in opened.compactMap(\.event.card) {
            // A retry costs the writer nothing.
            guard let known = try reading({ try $0.card(card) }), known.holder == holder, known.isHeld else { continue }
            _ = try await submit(.takeWaitingCard(TakeWaitingCard(card: card)), by: Caller(account: account))
        }
        try await takeOffers(waitingFor: holder, by: account)
    }

    /// Claims, submits, and releases needless claims. A crash leaves at most a claim that has no effect.
    func change(
        _ account: AccountID, to phone: E164Number, displacing: Bool, submit command: () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance? {
        let names: Set<UInt128> = [keys.phoneName(of: phone.text), account.value]
        guard numberLocks.hold(names) else { throw .overloaded }
        return try await locked { [numberLocks] in
            numberLocks.release(names)
        } while: { () throws(ServiceError) -> Acceptance? in
            // The key store remembers only one unsettled claim of an account.
            try await settlePhones(of: account)
            guard try await claim(phone, for: account, displacing: displacing) else { return nil }
            let acceptance: Acceptance
            do throws(ServiceError) { acceptance = try await command() } catch {
                // The log may have the event. The next start or change settles the claim.
                if error != .stopping, error != .writerUnavailable { try await settlePhones(of: account) }
                throw error
            }
            try await settlePhones(of: account)
            return acceptance
        }
    }
}

extension KeyStore {
    /// Makes claims agree with the log after a crash, and for `moved`: accounts that changed their number since restored keys were copied.
    ///
    /// No clock is read, because it may be wrong at a start. The keys of erased accounts MUST be destroyed before, or their claims would
    /// block their numbers.
    @available(*, noasync)
    func finishPhoneChanges(of moved: [AccountID], in log: EventLog) throws {
        let past = LogPast(log)
        let accounts = Set(try unsettledAccounts() + moved)
        // First remove former holders' claims, then make the missing ones.
        for _ in 0..<2 {
            for id in accounts {
                guard let account = try past.account(id), let key = try key(of: id) else { continue }
                func text(_ sealed: Sealed) -> String? { Sealing.open(sealed, field: .phone, of: id, under: key) }
                guard let number = text(account.sealedPhone) else { continue }
                let coming = account.comingPhone.flatMap { text($0.sealedPhone) }
                // The change had ended an unregistered person's claim; its cards may still wait.
                for number in [number, coming].compactMap(\.self) {
                    guard let holder = try self.account(ofPhone: number), holder != id, try past.account(holder) == nil else { continue }
                    if try !setAside(holder, from: number) { try destroyKey(of: holder) }
                }
                try settleUnscrubbed(id, number: number, coming: coming)
            }
        }
        // The file is rewritten once for all accounts.
        try finishSettling()
    }
}
