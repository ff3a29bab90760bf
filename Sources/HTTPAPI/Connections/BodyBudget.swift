import Caches
import Synchronization

/// The bytes of request bodies that may be in memory, over all connections.
///
/// There are two pools. One is for `POST /images` and photos of codes, whose bodies are large and come from signed-in accounts. The other
/// pool is for all other requests. So the bodies of anonymous requests cannot keep pictures out. The first bytes of each connection's
/// bodies (`Limits.bodyBytesFree`) are taken from neither pool, so that ordinary requests are served while the pools are full. The cap on
/// connections bounds those first bytes.
///
/// In a full pool, a body that arrives too slowly, or is much larger, gives way; see `SharedPool`. Other large bodies get 503. Times are
/// those of the event loops. Any thread may call the methods.
final class BodyBudget: Sendable {
    /// The pool from which the bytes of a body are taken. The raw value is the pool's name in the service's log.
    enum Pool: String, CaseIterable, Sendable {
        case ordinary
        case pictures
    }

    /// The bytes that one connection has taken.
    struct Charge {
        fileprivate let id: UInt64
        let pool: Pool
        fileprivate(set) var bytes: Int
    }

    private typealias Bytes = SharedPool<@Sendable () -> Void>

    private let ordinary: Mutex<Bytes>
    private let pictures: Mutex<Bytes>

    init(ordinary: Int = Limits.bodiesBytesMax, pictures: Int = Limits.picturesBytesMax) {
        self.ordinary = Mutex(Bytes(Pools.bodies(bytes: ordinary)))
        self.pictures = Mutex(Bytes(Pools.pictureBodies(bytes: pictures)))
    }

    /// Takes a number of bytes; they MUST be given back. Returns false, and takes none, if too few are left, or if the connection's bytes
    /// were taken by another client.
    ///
    /// - Parameters:
    ///   - charge: the bytes that the connection has already, from whose pool it takes more; nil if it has none.
    ///   - now: microseconds by the clock of the event loops.
    ///   - end: ends the request if another client takes the bytes.
    func take(
        _ count: Int, for charge: inout Charge?, from pool: Pool, of share: PoolShare = PoolShare(), at now: Int64 = 0,
        end: @escaping @Sendable () -> Void = {}
    ) -> Bool {
        let held = charge
        let (taken, displaced) = withPool(held?.pool ?? pool) { bytes -> (Charge?, [@Sendable () -> Void]) in
            guard var held = held else {
                guard let (id, displaced) = bytes.add(end, amount: count, of: share, at: now) else { return (nil, []) }
                return (Charge(id: id, pool: pool, bytes: count), displaced)
            }
            guard let displaced = bytes.grow(held.id, by: count, at: now) else { return (nil, []) }
            bytes.progress(held.id, units: count, at: now)
            held.bytes += count
            return (held, displaced)
        }
        for end in displaced { end() }
        guard let taken else { return false }
        charge = taken
        return true
    }

    /// Gives a part of the bytes back, or all of them.
    func giveBack(_ count: Int, of charge: inout Charge?) {
        guard var held = charge else { return }
        held.bytes -= count
        withPool(held.pool) { if held.bytes > 0 { $0.shrink(held.id, by: count) } else { _ = $0.remove(held.id) } }
        charge = held.bytes > 0 ? held : nil
    }

    /// The number of bytes that were taken from a pool and not yet given back.
    func taken(from pool: Pool) -> Int { withPool(pool) { $0.taken } }

    private func withPool<Result: Sendable>(_ pool: Pool, _ body: (inout Bytes) -> Result) -> Result {
        switch pool {
        case .ordinary: ordinary.withLock { body(&$0) }
        case .pictures: pictures.withLock { body(&$0) }
        }
    }
}
