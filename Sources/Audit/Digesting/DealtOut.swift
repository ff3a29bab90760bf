/// Room for things that are dealt out to owners, by number: as many places for each as it has things.
struct DealtOut: Sendable {
    /// For each owner where its places begin, and behind the last one where they end.
    let starts: [Int]
    private var next: [Int]

    /// Counts what each owner has.
    @inline(__always)
    init<Thing>(_ things: [Thing], among owners: Int, _ owner: (Thing) -> Int) {
        var counts = [Int](repeating: 0, count: owners + 1)
        for thing in things { counts[owner(thing) + 1] += 1 }
        for number in 0..<owners { counts[number + 1] += counts[number] }
        (starts, next) = (counts, counts)
    }

    /// The next place of an owner: things that come in order stay in it.
    @inline(__always)
    mutating func place(for owner: Int) -> Int {
        let place = next[owner]
        next[owner] = place + 1
        return place
    }
}
