import CommandService
import Seeds
import Synchronization

/// Reproducible numbers in place of unpredictable ones.
final class SeededRandomness: Randomness {
    private let generator: Mutex<SeededRandom>

    init(seed: UInt64) {
        generator = Mutex(SeededRandom(seed: seed))
    }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
