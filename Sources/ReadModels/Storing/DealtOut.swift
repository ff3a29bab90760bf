/// Room for things that are dealt out to owners, by number: as many places for each as it has things.
package struct DealtOut: Sendable {
    /// For each owner where its places begin, and behind the last one where they end.
    package let starts: [Int]
    @usableFromInline var next: [Int]

    /// Counts what each owner has.
    ///
    /// - Parameters:
    ///   - count: things, by number from 0 up to this.
    ///   - owners: how many there are.
    ///   - owner: whose the thing of a number is.
    @inlinable @inline(__always)
    package init(_ count: Int, among owners: Int, _ owner: (Int) -> Int) {
        var counts = [Int](repeating: 0, count: owners + 1)
        for thing in 0..<count { counts[owner(thing) + 1] += 1 }
        for number in 0..<owners { counts[number + 1] += counts[number] }
        (starts, next) = (counts, counts)
    }

    /// The next place of an owner: things that come in order stay in it.
    @inlinable @inline(__always)
    package mutating func place(for owner: Int) -> Int {
        let place = next[owner]
        next[owner] = place + 1
        return place
    }

    /// Each owner's places that need sorting: those of two things or more.
    package var shared: some Sequence<Range<Int>> {
        zip(starts, starts.dropFirst()).lazy.filter { $1 - $0 > 1 }.map { $0..<$1 }
    }
}
