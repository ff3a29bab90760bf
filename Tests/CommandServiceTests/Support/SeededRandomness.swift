import CommandService
import Synchronization

/// Repeatable numbers in place of unforeseeable ones.
final class SeededRandomness: Randomness {
    private let generator: Mutex<SplitMix64>

    init(seed: UInt64) {
        generator = Mutex(SplitMix64(seed: seed))
    }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
