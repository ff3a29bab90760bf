import Synchronization

/// The declaration of a shared pool: its size, its clients' shares, and the entries that make room when it is full.
package struct PoolTerms: Sendable {
    /// The entry of the largest client that makes room for a newcomer.
    package enum Displaced: String, Sendable {
        /// The transfer with the least progress in the last seconds. One that is too slow goes first, even if others hold more.
        case slowest = "the slowest transfer"
        /// The job that began to wait last. Jobs leave by turns of addresses, and of the accounts of an address.
        case newest = "the newest waiting job"
        case oldest = "the value unused for longest"
        case nobody = "nobody"
    }

    /// For the table of pools.
    package let holds: String
    /// `Module/…/File.swift`.
    package let files: [String]
    package let capacity: Int
    /// Nil if the pool does not know accounts.
    package let perAccount: Int?
    /// Per IPv4 address or IPv6 /64.
    package let perAddress: Int?
    package let displaced: Displaced
    /// Units that a holder must move, by ``Pace``; nil if holders move nothing.
    package let perSecond: Int?
    /// Microseconds without moved units after which a holder is displaced first.
    package let window: Int64
    /// The test in which ten accounts at one address want everything: `Suite.function`.
    package let test: String
    /// Why a pool without a displaced entry cannot be closed for others.
    package let reason: String

    package init(
        _ holds: String, in files: [String], capacity: Int, perAccount: Int? = nil, perAddress: Int? = nil, displaced: Displaced,
        perSecond: Int? = nil, window: Int64 = Pace.windowMicroseconds, test: String, reason: String = ""
    ) {
        (self.holds, self.files, self.capacity) = (holds, files, capacity)
        (self.perAccount, self.perAddress) = (perAccount, perAddress)
        (self.displaced, self.perSecond, self.window, self.test, self.reason) = (displaced, perSecond, window, test, reason)
    }

    /// A cache, whose displaced entries cost only work.
    package static func cache(_ holds: String, in files: [String], capacity: Int, reason: String = "it is computed again") -> PoolTerms {
        PoolTerms(holds, in: files, capacity: capacity, displaced: .oldest, test: "", reason: reason)
    }

    /// For an IPv6 /48: four addresses' share, but not more than half of the pool unless an address may.
    var perNetwork: Int? { perAddress.map { max($0, min(4 * $0, capacity / 2)) } }
}

/// The account and the address that use a part of a pool.
package struct PoolShare: Hashable, Sendable {
    package typealias Address = UInt128

    package var account: UInt128?
    /// IPv4 or IPv6 /64. All unknown addresses count as one.
    package var address: Address?
    /// IPv6 /48.
    package var network: Address?

    package init(account: UInt128? = nil, address: Address? = nil, network: Address? = nil) {
        (self.account, self.address, self.network) = (account, address, network)
    }

    var site: Address? { network ?? address }
}

/// The client for which a task works, by whose share pools count.
package final class PoolClient: Sendable {
    @TaskLocal package static var current: PoolClient?

    private let known: Mutex<PoolShare>
    /// Another client takes the request's place in a pool.
    package let end: @Sendable () -> Void

    package init(_ share: PoolShare, end: @escaping @Sendable () -> Void = {}) {
        known = Mutex(share)
        self.end = end
    }

    package var share: PoolShare { known.withLock { $0 } }

    /// Known once the request's token is verified.
    package func isSignedIn(as account: UInt128) { known.withLock { $0.account = account } }

    /// An unknown client outside of requests.
    package static var share: PoolShare { current?.share ?? PoolShare() }
}

/// The progress of a transfer in the last seconds. Moved units allow more time, but never beyond the window from now, so that earlier speed
/// earns no right to stall.
package struct Pace: Sendable {
    /// Microseconds without progress.
    package static let windowMicroseconds: Int64 = 10_000_000

    /// Microseconds of a steady clock, after which the transfer is too slow.
    package private(set) var dueAt: Int64
    private let window: Int64

    package init(at now: Int64, window: Int64 = Self.windowMicroseconds) { (dueAt, self.window) = (now + window, window) }

    /// Counts moved units.
    package mutating func credit(_ units: Int, perSecond: Int, at now: Int64) {
        dueAt = min(dueAt + Int64(units) * 1_000_000 / Int64(perSecond), now + window)
    }

    /// Whether the transfer was too slow in the last seconds.
    package func isLate(at now: Int64) -> Bool { now >= dueAt }
}
