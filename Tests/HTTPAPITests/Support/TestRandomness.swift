import CommandService
import Seeds
import Synchronization

/// A source of the same numbers in every run.
final class TestRandomness: Randomness {
    private let generator: Mutex<SeededRandom>

    init(seed: UInt64) {
        generator = Mutex(SeededRandom(seed: seed))
    }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
