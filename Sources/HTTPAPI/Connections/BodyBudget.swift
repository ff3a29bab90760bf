import Synchronization

/// The bytes of request bodies that may be in memory, over all connections.
///
/// There are two pools. One is for `POST /images` and photos of codes, whose bodies are large and come from signed-in accounts. The other
/// pool is for all other requests. So the bodies of anonymous requests cannot keep pictures out. The first bytes of each connection's
/// bodies (`Limits.bodyBytesFree`) are taken from neither pool, so that ordinary requests are served while the pools are full. The cap on
/// connections bounds those first bytes.
///
/// When a flood of large bodies has filled a pool, further large bodies get 503.
final class BodyBudget: Sendable {
    /// The pool from which the bytes of a body are taken. The raw value is the pool's name in the service's log.
    enum Pool: String, CaseIterable, Sendable {
        case ordinary
        case pictures
    }

    private let most: (ordinary: Int, pictures: Int)
    private let ordinary = Atomic(0)
    private let pictures = Atomic(0)

    init(ordinary: Int = Limits.bodiesBytesMax, pictures: Int = Limits.picturesBytesMax) { most = (ordinary, pictures) }

    /// Takes a number of bytes from a pool; they MUST be given back. Returns false, and takes none, if too few are left.
    func take(_ count: Int, from pool: Pool) -> Bool {
        switch pool {
        case .ordinary: Self.take(count, ordinary, most.ordinary)
        case .pictures: Self.take(count, pictures, most.pictures)
        }
    }

    func giveBack(_ count: Int, to pool: Pool) {
        switch pool {
        case .ordinary: ordinary.subtract(count, ordering: .relaxed)
        case .pictures: pictures.subtract(count, ordering: .relaxed)
        }
    }

    /// The number of bytes that were taken from a pool and not yet given back.
    func taken(from pool: Pool) -> Int {
        switch pool {
        case .ordinary: ordinary.load(ordering: .relaxed)
        case .pictures: pictures.load(ordering: .relaxed)
        }
    }

    private static func take(_ count: Int, _ taken: borrowing Atomic<Int>, _ most: Int) -> Bool {
        if taken.add(count, ordering: .relaxed).newValue <= most { return true }
        taken.subtract(count, ordering: .relaxed)
        return false
    }
}
