import Foundation
import Synchronization

/// The source of randomness, passed in so that a run can be repeated.
public protocol Randomness: Sendable {
    /// A number that nobody can predict.
    func next() -> UInt64
}

extension Randomness {
    /// `count` unpredictable bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = next()
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}

/// The kernel's random generator, read 512 numbers at a time to save system calls.
public final class SystemRandomness: Randomness {
    private static let drawBytes = 4_096

    private let pool = Mutex<[UInt64]>([])

    public init() {}

    public func next() -> UInt64 {
        pool.withLock { pool in
            if pool.isEmpty { pool = Self.draw() }
            return pool.removeLast()
        }
    }

    /// Many numbers, or a single one if the device cannot be read.
    private static func draw() -> [UInt64] {
        let device = FileHandle(forReadingAtPath: "/dev/urandom")
        guard let bytes = try? device?.read(upToCount: drawBytes), bytes.count == drawBytes else {
            var generator = SystemRandomNumberGenerator()
            return [generator.next()]
        }
        var numbers: [UInt64] = []
        numbers.reserveCapacity(drawBytes / 8)
        var word: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            word = word << 8 | UInt64(byte)
            if index % 8 == 7 { numbers.append(word) }
        }
        return numbers
    }
}
