/// A reproducible random generator for this process and its children: SplitMix64 (Steele, Lea, Flood, 2014). Not for keys.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    /// The seed that repeats the sequence.
    public let seed: UInt64
    private var state: UInt64

    /// Starts the sequence that a seed determines.
    public init(seed: UInt64) {
        (self.seed, state) = (seed, seed)
    }

    /// Returns a generator from the run's seed and a name, and prints both. Different names give independent sequences.
    public static func announced(_ name: String) -> SeededRandom {
        print("\(name): GREENTEA_SEED=\(Seed.value)")
        // FNV-1a gives the same value in every process, unlike `Hasher`.
        let mark = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        return SeededRandom(seed: Seed.value &+ mark)
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number in a range, with equal probabilities.
    public mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns true with a probability of 1 in `count`.
    public mutating func oneIn(_ count: Int) -> Bool { int(1...count) == 1 }

    /// Returns true with this probability, given in percent.
    public mutating func percent(_ percent: Int) -> Bool { int(1...100) <= percent }

    /// Returns a random element; traps if there is none.
    public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[int(0...elements.count - 1)] }
}
