import Caches
import Synchronization

/// The bytes of request bodies in memory, over all connections. Any thread may call; times are those of the event loops.
///
/// Pictures have a pool of their own, so that anonymous requests cannot keep them out, and so has what nodes send each other. The first
/// bytes of each connection (`Limits.bodyBytesFree`) are in no pool, so that ordinary requests are served while the pools are full. In a
/// full pool, a body that is slow or much larger gives way (`SharedPool`); other large bodies get 503.
final class BodyBudget: Sendable {
    /// The raw value is the name in the service's log.
    enum Pool: String, CaseIterable, Sendable {
        case ordinary
        case pictures
        case nodes
    }

    struct Charge {
        fileprivate let id: UInt64
        let pool: Pool
        fileprivate(set) var bytes: Int
    }

    private typealias Bytes = SharedPool<@Sendable () -> Void>

    private let ordinary: Mutex<Bytes>
    private let pictures: Mutex<Bytes>
    private let nodes = Mutex(Bytes(Pools.nodeBodies.terms))

    init(ordinary: Int = Limits.bodiesBytesMax, pictures: Int = Limits.picturesBytesMax) {
        self.ordinary = Mutex(Bytes(Pools.bodies(bytes: ordinary)))
        self.pictures = Mutex(Bytes(Pools.pictureBodies(bytes: pictures)))
    }

    /// Takes bytes, which MUST be given back. Returns false, and takes none, if too few are left or another client took the connection's
    /// bytes.
    ///
    /// - Parameters:
    ///   - charge: the bytes that the connection has; their pool is used.
    ///   - now: microseconds by the event loops' clock.
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

    func giveBack(_ count: Int, of charge: inout Charge?) {
        guard var held = charge else { return }
        held.bytes -= count
        withPool(held.pool) { if held.bytes > 0 { $0.shrink(held.id, by: count) } else { _ = $0.remove(held.id) } }
        charge = held.bytes > 0 ? held : nil
    }

    func taken(from pool: Pool) -> Int { withPool(pool) { $0.taken } }

    private func withPool<Result: Sendable>(_ pool: Pool, _ body: (inout Bytes) -> Result) -> Result {
        switch pool {
        case .ordinary: ordinary.withLock { body(&$0) }
        case .pictures: pictures.withLock { body(&$0) }
        case .nodes: nodes.withLock { body(&$0) }
        }
    }
}
