import Seeds

/// The numbers used for one kind of object. A random command can use a new, a recent or any earlier number.
struct Names {
    /// The newest number; 0 before the first.
    private(set) var newest: UInt128 = 0

    /// Returns mostly a new number, and at times one that was drawn before.
    mutating func new(_ random: inout SeededRandom) -> UInt128 {
        if newest > 0, Int.random(in: 0..<100, using: &random) < 5 { return old(&random) }
        newest += 1
        return newest
    }

    /// Returns one of the newest numbers, or less often an older number; 1 if there are too few numbers.
    func old(_ random: inout SeededRandom) -> UInt128 {
        let back = UInt128(Int.random(in: 0..<(Int.random(in: 0..<100, using: &random) < 80 ? 4 : 100), using: &random))
        return newest > back ? newest - back : 1
    }
}
