public import Loyalty
import Synchronization

/// The six-digit codes that are out to phones. In memory only: a restart costs somebody one more message, never an account.
///
/// Bounded: five minutes and five tries a code, and a named number of codes at once; the oldest gives way.
public final class Verifications: Sendable {
    /// Seconds that a code holds.
    public static let validSeconds: Int64 = 300
    /// Wrong codes until the code is void.
    public static let triesMax = 5
    /// Codes out at once.
    public static let pendingMax = 100_000

    private struct Pending {
        let code: String
        /// By the steady clock.
        let expiresAt: Instant
        var triesLeft: Int
    }

    /// Guarded by the mutex.
    private let pending = Mutex<[E164Number: Pending]>([:])
    private let randomness: any Randomness

    init(randomness: any Randomness) {
        self.randomness = randomness
    }

    /// Makes a new code for a phone, good for ``validSeconds``; an earlier one is void. The same whether or not the phone is known.
    ///
    /// - Parameter now: by ``Clock/steady()``.
    public func begin(for phone: E164Number, now: Instant) -> String {
        let digits = String(randomness.next() % 1_000_000)
        let code = String(repeating: "0", count: 6 - digits.count) + digits
        let expiresAt = now.advanced(bySeconds: Self.validSeconds)
        pending.withLock { pending in
            if pending.count >= Self.pendingMax { Self.makeRoom(in: &pending, now: now) }
            pending[phone] = Pending(code: code, expiresAt: expiresAt, triesLeft: Self.triesMax)
        }
        return code
    }

    /// Spends the phone's code: true once, for the right code in time.
    ///
    /// - Parameter now: by ``Clock/steady()``.
    public func spend(_ code: String, for phone: E164Number, now: Instant) -> Bool {
        pending.withLock { pending in
            guard var entry = pending[phone] else { return false }
            guard now < entry.expiresAt, entry.triesLeft > 0 else {
                pending[phone] = nil
                return false
            }
            if equalInConstantTime(entry.code, code) {
                pending[phone] = nil
                return true
            }
            entry.triesLeft -= 1
            pending[phone] = entry.triesLeft > 0 ? entry : nil
            return false
        }
    }

    private static func makeRoom(in pending: inout [E164Number: Pending], now: Instant) {
        pending = pending.filter { $0.value.expiresAt > now }
        guard pending.count >= pendingMax, let oldest = pending.min(by: { $0.value.expiresAt < $1.value.expiresAt }) else { return }
        pending[oldest.key] = nil
    }
}

/// Compares without telling by its duration how much was right.
func equalInConstantTime(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
