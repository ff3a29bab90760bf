import Synchronization

/// The bytes of request bodies that may be in memory, over all connections.
///
/// There are two pools: one for `POST /images` and photos of codes, whose bodies are large and come from signed-in accounts, and one for
/// all other requests, which need no account. So anonymous bodies cannot keep pictures out. The first bytes of each body count in neither
/// (`Limits.bodyBytesFree`): ordinary requests are served while the pools are full, and the cap on connections bounds those bytes.
///
/// Bytes of bodies are counted over all connections, beyond the first 4 KiB of each. A flood of large bodies gets 503, and ordinary
/// requests are served meanwhile.
final class BodyBudget: Sendable {
    /// Which pool a body counts in. The raw value names it in the log.
    enum Pool: String, CaseIterable, Sendable {
        case ordinary
        case pictures
    }

    private let most: (ordinary: Int, pictures: Int)
    private let ordinary = Atomic(0)
    private let pictures = Atomic(0)

    init(ordinary: Int = Limits.bodiesBytesMax, pictures: Int = Limits.picturesBytesMax) { most = (ordinary, pictures) }

    /// Takes bytes, which MUST be given back; or returns false if fewer are left, and takes none.
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

    /// Bytes taken from a pool.
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
