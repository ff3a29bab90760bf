public import CommandService
import EventLog
public import Loyalty
import Synchronization

/// The accounts for which an operator requested another phone number, and the time at which each of these numbers comes into force.
///
/// They are kept in memory, because each request of a signed-in person asks for them, and must not read the log for that. An entry only
/// says that the log must be read. The log decides whether the number has come into force: the account's holder may have objected, or the
/// change may be recorded.
final class DuePhones: Sendable {
    private let coming: Mutex<[AccountID: Instant]>
    /// The earliest time among the entries, in microseconds. Most of the time no entry is due, and one comparison shows that.
    private let earliest: Atomic<Int64>

    init(_ coming: [AccountID: Instant]) {
        self.coming = Mutex(coming)
        earliest = Atomic(Self.earliest(of: coming))
    }

    /// Notes a requested number. Of several requests for one account, the one that comes into force last counts.
    func note(_ account: AccountID, at time: Instant) {
        coming.withLock { coming in
            coming[account] = max(time, coming[account] ?? time)
            earliest.store(Self.earliest(of: coming), ordering: .releasing)
        }
    }

    /// Whether the account has an entry whose time has come.
    func isDue(_ account: AccountID, at now: Instant) -> Bool {
        guard earliest.load(ordering: .acquiring) <= now.microseconds else { return false }
        return coming.withLock { $0[account].map { $0 <= now } ?? false }
    }

    /// Removes the account's entry, unless its time is after `moment`.
    func remove(_ account: AccountID, dueAt moment: Instant) {
        coming.withLock { coming in
            guard let time = coming[account], time <= moment else { return }
            coming[account] = nil
            earliest.store(Self.earliest(of: coming), ordering: .releasing)
        }
    }

    private static func earliest(of coming: [AccountID: Instant]) -> Int64 { coming.values.min()?.microseconds ?? .max }
}

extension GreenTea {
    /// The moment that decides which number an account has: `time`, or the present time if `time` is nil. If a requested number is due by
    /// that time, but not yet by ``ForwardClock/passed()``, the moment is the latter.
    ///
    /// A change to a requested number cannot be undone, and the account's holder may object for 72 hours. So if the machine's clock is set
    /// ahead, even for a moment, the number does not come into force early. If the clock was behind when the service started, the number
    /// comes into force late, at the latest at the next start.
    public func phoneTime(of account: Account, at time: Instant? = nil) -> Instant {
        let time = time ?? clock.now()
        guard account.comingPhone?.holds(at: time) == true else { return time }
        return min(time, forward.passed())
    }

    /// The time of a command that depends on the number in force. It is nil, which means the time of the writer's clock, unless a requested
    /// number is due by that clock and not yet by ``ForwardClock/passed()``.
    func commandTime(for account: Account) -> Instant? {
        guard let coming = account.comingPhone, coming.holds(at: clock.now()) else { return nil }
        let passed = forward.passed()
        return coming.holds(at: passed) ? nil : passed
    }

    /// Whether a number that an operator requested for the account may have come into force without an event that records it. Reads only
    /// memory. If true, ``completeDuePhone(of:rememberedFor:)`` finds out.
    ///
    /// - Parameter now: the present time. It saves a reading of the clocks while no number is due.
    public func mayHaveDuePhone(_ account: AccountID, at now: Instant) -> Bool {
        duePhones.isDue(account, at: now) && duePhones.isDue(account, at: forward.passed())
    }

    /// Records that a requested number has become the account's number, if it is due and not recorded. The event ends all sessions of the
    /// account.
    ///
    /// - Parameter seconds: the time after which no token from before the change is valid any more. Until then the entry stays, because a
    ///   token may be in use although its session has ended.
    /// - Returns: `nil` if nothing was to be recorded.
    public func completeDuePhone(of id: AccountID, rememberedFor seconds: Int64) async throws(ServiceError) -> Acceptance? {
        // The time is read before the account. So the entry of a request that is recorded meanwhile, which is due later, stays.
        let now = forward.passed()
        let account = try reading { try $0.account(id) }
        var change: Acceptance?
        if let account { change = try await completePhoneChange(of: account) }
        duePhones.remove(id, dueAt: now.advanced(bySeconds: -seconds))
        return change
    }
}

extension KeyStore {
    /// Finishes erasures and changes of phone numbers that a crash interrupted; see ``finishErasures(in:settling:)`` and
    /// ``finishPhoneChanges(of:in:)``.
    ///
    /// - Returns: the accounts for which an operator requested another number, and the time at which it comes into force, if no event has
    ///   recorded that it did.
    @available(*, noasync)
    func finishInterrupted(in log: EventLog) throws -> [AccountID: Instant] {
        // Finishing the changes removes an account's claim on a number that is claimed for another account. So the claims from before are
        // searched as well.
        var accounts = try accountsAwaitingPhones()
        try finishErasures(in: log) { moved in
            try finishPhoneChanges(of: moved, in: log)
            accounts += moved
        }
        accounts += try accountsAwaitingPhones()
        let past = LogPast(log)
        var coming: [AccountID: Instant] = [:]
        for account in Set(accounts) { coming[account] = try past.account(account)?.comingPhone?.holdsAt }
        return coming
    }
}
