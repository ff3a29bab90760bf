/// SplitMix64: the same seed gives the same run, in this process and in the one that it starts.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator at its beginning.
    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number of a range, each as likely as the others.
    package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True once in so many.
    package mutating func oneIn(_ count: Int) -> Bool { int(1...count) == 1 }

    /// True with a probability in percent.
    package mutating func percent(_ percent: Int) -> Bool { int(1...100) <= percent }

    /// One of several; traps when there is none.
    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[int(0...elements.count - 1)] }
}
