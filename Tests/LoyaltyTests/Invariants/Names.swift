import Seeds

/// The numbers of one kind of thing, so that a random command can name one that is new, one that is recent, or any.
struct Names {
    /// The newest number; 0 before the first.
    private(set) var newest: UInt128 = 0

    /// Mostly a new number, at times one that was drawn before.
    mutating func new(_ random: inout SeededRandom) -> UInt128 {
        if newest > 0, Int.random(in: 0..<100, using: &random) < 5 { return old(&random) }
        newest += 1
        return newest
    }

    /// A number that was drawn lately, or any; 1 where none was.
    func old(_ random: inout SeededRandom) -> UInt128 {
        let back = UInt128(Int.random(in: 0..<(Int.random(in: 0..<100, using: &random) < 80 ? 4 : 100), using: &random))
        return newest > back ? newest - back : 1
    }
}
