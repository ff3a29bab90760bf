import Synchronization

/// A declaration of one shared pool: its size, the shares of its clients, and the entries that make room when it is full.
package struct PoolTerms: Sendable {
    /// The entry that makes room for a newcomer, among those of the client that holds the most.
    package enum Displaced: String, Sendable {
        /// The transfer that made the least progress in the last seconds. One that is too slow goes first, even if others hold more.
        case slowest = "the slowest transfer"
        /// The job that began to wait last. Jobs leave the queue by turns of addresses, and of the accounts of an address.
        case newest = "the newest waiting job"
        /// The kept value that was not used for the longest time.
        case oldest = "the value unused for longest"
        case nobody = "nobody"
    }

    /// The things that the pool holds, in words for the table of pools.
    package let holds: String
    /// The files of the pool's uses, each as `Module/…/File.swift`.
    package let files: [String]
    package let capacity: Int
    /// The most that one account may hold; nil if the pool does not know accounts.
    package let perAccount: Int?
    /// The most that one IPv4 address or IPv6 /64 may hold.
    package let perAddress: Int?
    package let displaced: Displaced
    /// The units that a holder must move each second, by ``Pace``; nil if holders move nothing.
    package let perSecond: Int?
    /// The most time, in microseconds, that a holder may go without moving units before it is displaced first.
    package let window: Int64
    /// The name of the test in which ten accounts at one address want everything, as `Suite.function`.
    package let test: String
    /// The reason why a pool without a displaced entry cannot be closed for others.
    package let reason: String

    package init(
        _ holds: String, in files: [String], capacity: Int, perAccount: Int? = nil, perAddress: Int? = nil, displaced: Displaced,
        perSecond: Int? = nil, window: Int64 = Pace.windowMicroseconds, test: String, reason: String = ""
    ) {
        (self.holds, self.files, self.capacity) = (holds, files, capacity)
        (self.perAccount, self.perAddress) = (perAccount, perAddress)
        (self.displaced, self.perSecond, self.window, self.test, self.reason) = (displaced, perSecond, window, test, reason)
    }

    /// Terms of a cache. An entry that is displaced costs only the work of computing it again.
    package static func cache(_ holds: String, in files: [String], capacity: Int, reason: String = "it is computed again") -> PoolTerms {
        PoolTerms(holds, in: files, capacity: capacity, displaced: .oldest, test: "", reason: reason)
    }

    /// The most that one IPv6 /48 may hold: four addresses' share, but not more than half of the pool unless an address may.
    var perNetwork: Int? { perAddress.map { max($0, min(4 * $0, capacity / 2)) } }
}

/// The account and the address that use a part of a pool.
package struct PoolShare: Hashable, Sendable {
    /// A number that stands for an address.
    package typealias Address = UInt128

    package var account: UInt128?
    /// An IPv4 address or an IPv6 /64. All clients without a known address count as one.
    package var address: Address?
    /// The /48 of an IPv6 address.
    package var network: Address?

    package init(account: UInt128? = nil, address: Address? = nil, network: Address? = nil) {
        (self.account, self.address, self.network) = (account, address, network)
    }

    var site: Address? { network ?? address }
}

/// The client for which a task works, so that each pool that the work needs can count the client's share.
package final class PoolClient: Sendable {
    @TaskLocal package static var current: PoolClient?

    private let known: Mutex<PoolShare>
    /// Ends the client's request, because another client takes its place in a pool.
    package let end: @Sendable () -> Void

    package init(_ share: PoolShare, end: @escaping @Sendable () -> Void = {}) {
        known = Mutex(share)
        self.end = end
    }

    package var share: PoolShare { known.withLock { $0 } }

    /// Notes the account, once the request's token is verified.
    package func isSignedIn(as account: UInt128) { known.withLock { $0.account = account } }

    /// The share of the current task's client; that of an unknown client outside of requests.
    package static var share: PoolShare { current?.share ?? PoolShare() }
}

/// The progress of a transfer in the last seconds. Each unit that is moved allows the transfer some more time, but never more than the
/// window from now: a transfer that was fast earlier does not earn the right to stall.
package struct Pace: Sendable {
    /// The most time, in microseconds, that a transfer may go without progress.
    package static let windowMicroseconds: Int64 = 10_000_000

    /// The moment, in microseconds of a steady clock, after which the transfer is too slow.
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
