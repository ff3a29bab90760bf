import CommandService
import Seeds
import Synchronization

/// Repeatable numbers in place of unforeseeable ones.
final class SeededRandomness: Randomness {
    private let generator: Mutex<SeededRandom>

    init(seed: UInt64) {
        generator = Mutex(SeededRandom(seed: seed))
    }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
