public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec

/// The account behind a number, and how an account gets another number.
///
/// The key store leads from a number to an account, and the account's sealed number in the log decides whether the claim is good:
/// a claim that a crash left over leads nowhere. Time alone decides when a number that an operator asked for becomes the account's; the
/// event is recorded at the next sign-in or refresh, and everything that reads the number before that judges by time as well.
extension GreenTea {
    /// The account behind an identity.
    enum Holder {
        /// Nobody, or a person who has yet to register.
        case nobody
        case known(Account)
        /// The account will have the number later, unless its holder objects.
        case coming(Account)

        var account: Account? {
            switch self {
            case .nobody: nil
            case .known(let account), .coming(let account): account
            }
        }
    }

    /// The account of an identity.
    ///
    /// The key store knows it. The log knows accounts of older releases, by a hash for each time that the number was erased there.
    func holder(of identity: String) throws(ServiceError) -> Holder {
        if let claimed = try claimant(of: identity), let known = try reading({ try $0.account(claimed) }) {
            return try standing(of: known, towards: identity)
        }
        for generation in 0..<Limits.phoneGenerationsMax {
            let secret = keys.secret(ofPhone: identity, generation: generation)
            guard let known = try reading({ try $0.account(phone: secret) }) else { return .nobody }
            guard !known.isErased else { continue }
            // An account that has another number by now left its hash in the log.
            if case .known = try standing(of: known, towards: identity) { return .known(known) }
        }
        return .nobody
    }

    /// An account that claims an identity holds it unless its sealed number opens and is another one.
    private func standing(of account: Account, towards identity: String) throws(ServiceError) -> Holder {
        let now = clock.now()
        guard let number = try open(account.sealedPhone(at: now), as: .phone, of: account.id), number != identity else {
            return .known(account)
        }
        guard let coming = account.comingPhone, try open(coming.sealedPhone, as: .phone, of: account.id) == identity else { return .nobody }
        return .coming(account)
    }

    func claimant(of identity: String) throws(ServiceError) -> AccountID? {
        do { return try keyStore.account(ofPhone: identity) } catch { throw .failed(String(describing: error)) }
    }

    /// Whether a number is claimed for an account, registered or not.
    func hasClaim(_ phone: E164Number) throws(ServiceError) -> Bool { try claimant(of: phone.text) != nil }

    /// The account that holds a phone; nil without one.
    func account(ofPhone phone: E164Number) throws(ServiceError) -> Account? {
        if case .known(let account) = try holder(of: phone.text) { account } else { nil }
    }

    /// An account's number in force; nil if it is not readable, as after an erasure.
    public func phone(of account: Account) throws(ServiceError) -> E164Number? {
        try open(account.sealedPhone(at: clock.now()), as: .phone, of: account.id).flatMap { E164Number($0) }
    }

    /// The number that an operator asked for and that does not hold yet; by default now.
    public func comingPhone(of account: Account, at time: Instant? = nil) throws(ServiceError) -> (number: String, holdsAt: Instant)? {
        guard let coming = account.comingPhone, !coming.holds(at: time ?? clock.now()) else { return nil }
        return try open(coming.sealedPhone, as: .phone, of: account.id).map { ($0, coming.holdsAt) }
    }

    /// Removes a number's claim that leads nowhere: one of an erased account whose key is not destroyed yet, one that waited too long for
    /// somebody to register, and one that a change of an account's number left over.
    ///
    /// - Parameter account: an account whose lock the caller holds.
    @available(*, noasync)
    func endClaim(on number: String, holding account: AccountID? = nil) throws {
        guard let holder = try keyStore.account(ofPhone: number) else { return }
        if let known = try reading({ try $0.account(holder) }) {
            guard case .nobody = try standing(of: known, towards: number) else { return }
            if holder == account { return try settle(known) }
            // Another change of that account is on the way: its claim is not a leftover.
            guard numberLocks.hold([holder.value]) else { throw ServiceError.overloaded }
            defer { numberLocks.release([holder.value]) }
            return try settle(known)
        }
        let isErased = try reading { try $0.wasErased(holder) }
        guard try isErased || endOfWaiting(holder) <= forward.passed() else { return }
        try keyStore.destroyKey(of: holder)
    }

    /// When a number no longer waits for the person who verifies it: ninety days after its newest stamp, or after its claim where nothing
    /// was stamped. The log and the account's id say when those were, so nothing is kept about the number.
    ///
    /// Cards that end here cannot be brought back, so time counts as it passes for this process, see ``ForwardClock/passed()``: a clock
    /// that is set ahead for a moment takes nobody's cards. A start while the clock is wrong cannot be told from a service that rested.
    private func endOfWaiting(_ holder: AccountID) throws -> Instant {
        var since = UUIDv7.time(of: holder.value)
        let tag = Tag(kind: .account, value: holder.value)
        if let newest = try log.lastPosition(of: tag, type: .cardStamped), let stamped = try log.event(at: newest) {
            since = max(since, Instant(microseconds: stamped.event.time.microseconds))
        }
        return since.advanced(bySeconds: Limits.waitingSeconds)
    }

    /// Brings an account's claims to what the log says.
    @available(*, noasync)
    private func settle(_ account: Account) throws {
        guard let number = try open(account.sealedPhone(at: clock.now()), as: .phone, of: account.id) else { return }
        try keyStore.settle(account.id, number: number, coming: try comingPhone(of: account)?.number)
    }

    func settlePhones(of account: AccountID) async throws(ServiceError) {
        guard let known = try reading({ try $0.account(account) }) else { return }
        try await onThread { [self] in try settle(known) }
    }

    /// Does what changes an account's number without a new claim, and settles its claims.
    func alone(
        with account: AccountID, _ work: () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance {
        guard numberLocks.hold([account.value]) else { throw .overloaded }
        defer { numberLocks.release([account.value]) }
        let acceptance = try await work()
        try await settlePhones(of: account)
        return acceptance
    }

    /// Does work on the key store on a thread of its own.
    func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws(ServiceError) -> Value {
        do { return try await blocking(work) } catch let error as ServiceError { throw error } catch {
            throw .failed(String(describing: error))
        }
    }

    /// Whether no other account has a number or waits for it.
    func isFree(_ phone: E164Number, for account: AccountID) throws(ServiceError) -> Bool {
        try holder(of: phone.text).account.map { $0.id == account } ?? true
    }

    /// Claims a number for an account. A claim of somebody who has yet to register gives way: the number was verified by the caller.
    /// One with cards does not, because they are held by the account that the claim names, and nobody else can reach them.
    ///
    /// - Returns: whether the number is the account's to have; not if another account has it.
    private func claim(_ phone: E164Number, for account: AccountID, displacing: Bool) async throws(ServiceError) -> Bool {
        guard try isFree(phone, for: account) else { return false }
        return try await onThread { [self] in
            try endClaim(on: phone.text, holding: account)
            let holder = try keyStore.claimNext(phone.text, for: account)
            guard holder != account else { return true }
            guard displacing else { return false }
            // The number's lock is held, so no stamp arrives between this look and the end of the claim.
            guard try log.lastPosition(of: Tag(kind: .account, value: holder.value)) == nil else { throw ServiceError.cardsWaiting }
            try keyStore.destroyKey(of: holder)
            return try keyStore.claimNext(phone.text, for: account) == account
        }
    }

    /// Makes a change of an account's number: the claim, the event, and the release of what the change leaves behind.
    ///
    /// If the command is refused, the claim is released as well. A crash leaves at most a claim that leads nowhere.
    func change(
        _ account: AccountID, to phone: E164Number, displacing: Bool, submit command: @Sendable () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance? {
        let names: Set<UInt128> = [keys.phoneName(of: phone.text), account.value]
        guard numberLocks.hold(names) else { throw .overloaded }
        defer { numberLocks.release(names) }
        guard try await claim(phone, for: account, displacing: displacing) else { return nil }
        let acceptance: Acceptance
        do { acceptance = try await command() } catch {
            // While the service stops, the log may or may not have the event: the next start settles the claim.
            if error != .stopping { try await settlePhones(of: account) }
            throw error
        }
        try await settlePhones(of: account)
        return acceptance
    }
}

extension KeyStore {
    /// Settles claims that a crash left between a change of an account's number and its event, by what the log says.
    @available(*, noasync)
    func finishPhoneChanges(in log: EventLog, at now: Instant) throws {
        let past = LogPast(log)
        for id in try unsettledAccounts() {
            guard let account = try past.account(id), let key = try key(of: id) else { continue }
            func number(_ sealed: Sealed) -> String? { Sealing.open(sealed, field: .phone, of: id, under: key) }
            guard let number = number(account.sealedPhone(at: now)) else { continue }
            let coming = account.comingPhone.flatMap { $0.holds(at: now) ? nil : $0.sealedPhone }
            try settle(id, number: number, coming: coming.flatMap { Sealing.open($0, field: .phone, of: id, under: key) })
        }
    }
}
