import EventLog
import Loyalty
import LoyaltyCodec
import Synchronization

/// The one reader of the log.
extension LiveHub {
    /// Reads from a position on until no stream is open, or the log is closed.
    func run(after start: Position) {
        Task.detached { [self] in
            do {
                let types = LiveInterest.types
                let subscription = try log.subscribe(
                    to: .items([QueryItem(types: types, tags: [])]), after: start, name: "live events")
                for try await event in subscription {
                    guard try route(event) else { return }
                }
            } catch {
                // Nobody is served by a stream that stands still: whoever listens comes again, and hears why then.
            }
            state.withLock { $0.isRunning = false }
            stop()
        }
        let run = state.withLock { $0.run }
        Task.detached { [self] in
            while state.withLock({ $0.isRunning && $0.run == run }) {
                try? await Task.sleep(for: .seconds(Limits.liveLookSeconds))
                look()
            }
        }
    }

    /// Offers an event to whom it may concern.
    ///
    /// - Returns: false where no stream is open any more.
    private func route(_ event: SequencedEvent) throws -> Bool {
        var failure: (any Error)?
        var goesOn = true
        wake { state in
            guard !state.feeds.isEmpty else {
                (state.isRunning, goesOn) = (false, false)
                return []
            }
            do {
                return try Self.route(event, in: &state)
            } catch {
                failure = error
                return []
            }
        }
        if let failure { throw failure }
        return goesOn
    }

    private static func route(_ event: SequencedEvent, in state: inout State) throws -> [UInt64] {
        let numbers = listeners(to: event.event, in: state)
        if !numbers.isEmpty {
            let fact = try LoyaltyCodec.decode(event)
            for number in numbers { offer(fact, to: number, in: &state) }
        }
        // Only now: whoever attaches from here on does not get it, and reads through here.
        state.routed = event.position
        return numbers
    }

    private static func listeners(to event: NewEvent, in state: State) -> [UInt64] {
        // Rare, and for many.
        if event.type == .noticePosted { return Array(state.feeds.keys) }
        var numbers: Set<UInt64> = []
        for tag in event.tags {
            if tag.kind == .account { numbers.formUnion(state.numbersByAccount[AccountID(tag.value)] ?? []) }
            if tag.kind == .shop { numbers.formUnion(state.numbersByShop[ShopID(tag.value)] ?? []) }
        }
        return Array(numbers)
    }

    private static func offer(_ fact: Fact, to number: UInt64, in state: inout State) {
        guard let before = state.feeds[number]?.interest.workplaces else { return }
        state.feeds[number]?.offer(fact)
        guard let after = state.feeds[number]?.interest.workplaces, after != before else { return }
        index(number, from: before.keys, to: after.keys, in: &state)
    }

    /// Brings the look-up by shop in line with where a feed's account works.
    static func index(
        _ number: UInt64, from before: some Sequence<ShopID>, to after: some Sequence<ShopID>, in state: inout State
    ) {
        for shop in before {
            state.numbersByShop[shop]?.remove(number)
            if state.numbersByShop[shop]?.isEmpty ?? false { state.numbersByShop[shop] = nil }
        }
        for shop in after { state.numbersByShop[shop, default: []].insert(number) }
    }
}
