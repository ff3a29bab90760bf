/// Waiters ordered by the position that they wait for: a heap, with removal by number. The owner wakes the selected ones outside its lock.
struct WaiterQueue<Wake> {
    struct Waiter {
        let position: Position
        /// Nil without a timeout, and for a thread, whose semaphore handles it.
        let deadline: ContinuousClock.Instant?
        let wake: Wake
    }

    private struct Place {
        let position: Position
        let number: UInt64
    }

    private var waiters: [UInt64: Waiter] = [:]
    /// The least position first. Removed waiters are skipped when they reach the top.
    private var heap: [Place] = []

    var count: Int { waiters.count }
    private(set) var timedCount = 0

    mutating func add(_ waiter: Waiter, number: UInt64) {
        waiters[number] = waiter
        if waiter.deadline != nil { timedCount += 1 }
        heap.append(Place(position: waiter.position, number: number))
        siftUp()
        // Otherwise ended waits would accumulate behind a position that is never reached.
        if heap.count > 2 * waiters.count + 64 { rebuild() }
    }

    /// Nil if it has already been removed.
    mutating func remove(_ number: UInt64) -> Wake? {
        guard let waiter = waiters.removeValue(forKey: number) else { return nil }
        if waiter.deadline != nil { timedCount -= 1 }
        return waiter.wake
    }

    mutating func takeReached(_ head: Position) -> [Wake] {
        var reached: [Wake] = []
        while let first = heap.first, first.position <= head {
            removeFirst()
            if let wake = remove(first.number) { reached.append(wake) }
        }
        return reached
    }

    mutating func takeExpired(_ now: ContinuousClock.Instant) -> [Wake] {
        let numbers = waiters.filter { $0.value.deadline.map { $0 <= now } ?? false }.map(\.key)
        return numbers.compactMap { remove($0) }
    }

    mutating func takeAll() -> [Wake] {
        defer {
            waiters.removeAll()
            heap.removeAll()
            timedCount = 0
        }
        return waiters.values.map(\.wake)
    }

    private mutating func siftUp() {
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if heap[parent].position <= heap[child].position { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2 where child < heap.count && heap[child].position < heap[least].position {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    private mutating func rebuild() {
        heap = waiters.map { Place(position: $0.value.position, number: $0.key) }.sorted { $0.position < $1.position }
    }
}
