import Synchronization

/// Every issued stamp code. Each is given out twice, maybe to two customers at once, and exactly one attempt must be accepted. Any lane may
/// use it.
final class CodeLedger: Sendable {
    struct Ticket: Sendable {
        let code: String
        let campaign: Int
        /// The issuing shop.
        var place = ""
        let stamps: Int
    }

    private struct Entry {
        var attemptsLeft = 2
        var accepted = 0
        var refused = 0
    }

    private struct State {
        var waiting: [Ticket] = []
        var entries: [String: Entry] = [:]
        var used = 0
    }

    private let state = Mutex(State())
    private let violations: Violations

    init(_ violations: Violations) { self.violations = violations }

    func issued(_ ticket: Ticket) {
        let isNew = state.withLock { state in
            state.waiting.append(ticket)
            return state.entries.updateValue(Entry(), forKey: ticket.code) == nil
        }
        // The server never issues a code twice, not even after the first has expired.
        violations.require(isNew, "code \(ticket.code) was issued twice")
    }

    /// A random one; nil if none waits.
    func take(_ chance: inout Chance) -> Ticket? {
        let word = chance.next()
        return state.withLock { state in
            guard !state.waiting.isEmpty else { return nil }
            let index = Int(word % UInt64(state.waiting.count))
            let ticket = state.waiting[index]
            state.entries[ticket.code]!.attemptsLeft -= 1
            if state.entries[ticket.code]!.attemptsLeft == 0 {
                state.waiting.swapAt(index, state.waiting.count - 1)
                state.waiting.removeLast()
            }
            return ticket
        }
    }

    func entered(_ ticket: Ticket, accepted: Bool) {
        let verdict = state.withLock { state -> String? in
            guard var entry = state.entries[ticket.code] else { return "code \(ticket.code) was never issued" }
            if accepted { entry.accepted += 1 } else { entry.refused += 1 }
            state.used += accepted ? 1 : 0
            state.entries[ticket.code] = entry
            if entry.accepted > 1 { return "code \(ticket.code) was accepted \(entry.accepted) times" }
            if entry.refused == 2 { return "code \(ticket.code) was refused to both who had it" }
            return nil
        }
        if let verdict { violations.report(verdict) }
    }

    var used: Int { state.withLock { $0.used } }

    /// Codes that wait for a customer or a second attempt.
    var waiting: Int { state.withLock { $0.waiting.count } }
}
