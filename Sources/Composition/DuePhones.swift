public import CommandService
import EventLog
public import Loyalty
import Synchronization

/// The accounts for which an operator requested another phone number, in memory, because each signed-in request asks. Only the log tells
/// whether it is in force.
final class DuePhones: Sendable {
    private let coming: Mutex<[AccountID: Instant]>
    /// In microseconds. Mostly no entry is due, and one comparison shows that.
    private let earliest: Atomic<Int64>

    init(_ coming: [AccountID: Instant]) {
        self.coming = Mutex(coming)
        earliest = Atomic(Self.earliest(of: coming))
    }

    /// If an account has several requests, the one that comes into force last counts.
    func note(_ account: AccountID, at time: Instant) {
        coming.withLock { coming in
            coming[account] = max(time, coming[account] ?? time)
            earliest.store(Self.earliest(of: coming), ordering: .releasing)
        }
    }

    func isDue(_ account: AccountID, at now: Instant) -> Bool {
        guard earliest.load(ordering: .acquiring) <= now.microseconds else { return false }
        return coming.withLock { $0[account].map { $0 <= now } ?? false }
    }

    /// Unless its time is after `moment`.
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
    /// The moment that decides which number an account has: `time` or now, but no later than ``ForwardClock/passed()`` if a requested
    /// number is due by then.
    ///
    /// A clock set ahead must not bring a requested number into force early, because the change cannot be undone and the holder may object
    /// for 72 hours.
    public func phoneTime(of account: Account, at time: Instant? = nil) -> Instant {
        let time = time ?? clock.now()
        guard account.comingPhone?.holds(at: time) == true else { return time }
        return min(time, forward.passed())
    }

    func commandTime(for account: Account) -> Instant? {
        guard let coming = account.comingPhone, coming.holds(at: clock.now()) else { return nil }
        let passed = forward.passed()
        return coming.holds(at: passed) ? nil : passed
    }

    /// Whether a requested number may be due without a recorded event. Reads only memory.
    ///
    /// - Parameter now: saves a reading of the clocks while no number is due.
    public func mayHaveDuePhone(_ account: AccountID, at now: Instant) -> Bool {
        duePhones.isDue(account, at: now) && duePhones.isDue(account, at: forward.passed())
    }

    /// Records that a requested number is due, which ends all sessions of the account.
    ///
    /// - Parameter seconds: for which tokens from before the change stay valid, and the entry with them.
    public func completeDuePhone(of id: AccountID, rememberedFor seconds: Int64) async throws(ServiceError) -> Acceptance? {
        // Read before the account, so that the later entry of a concurrent request stays.
        let now = forward.passed()
        let account = try reading { try $0.account(id) }
        var change: Acceptance?
        if let account { change = try await completePhoneChange(of: account) }
        duePhones.remove(id, dueAt: now.advanced(bySeconds: -seconds))
        return change
    }
}

extension KeyStore {
    /// Finishes the erasures and changes of phone numbers that a crash interrupted.
    ///
    /// - Returns: the requested numbers without a recorded change.
    @available(*, noasync)
    func finishInterrupted(in log: EventLog) throws -> [AccountID: Instant] {
        // Finishing the changes removes claims, so earlier ones are searched too.
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
