import Synchronization

/// The printed paper cards in nobody's account, with their future holder's stamps. A lane draws a card and puts it back after the answer
/// unless it was taken, so no other lane changes it meanwhile. Any lane may use it.
final class PaperLedger: Sendable {
    struct Paper: Sendable, Equatable {
        let code: String
        /// The shop that printed the card.
        let shop: Int
        /// For the future holder.
        var stamps = 0
        /// By the shop that gave them.
        var stampsByPlace: [String: Int] = [:]
    }

    private struct State {
        var pile: [Paper] = []
        var codes: Set<String> = []
        var (stamped, taken) = (0, 0)
    }

    private let state = Mutex(State())
    private let violations: Violations

    init(_ violations: Violations) { self.violations = violations }

    /// To the bottom of the pile.
    func printed(_ codes: [String], of shop: Int) {
        let isNew = state.withLock { state in
            state.pile.insert(contentsOf: codes.map { Paper(code: $0, shop: shop) }, at: 0)
            return codes.allSatisfy { state.codes.insert($0).inserted }
        }
        violations.require(isNew, "a card on paper was printed twice")
    }

    /// From the topmost ``Limits/papersInUse``, so that these get stamps more than once; nil if the pile is empty.
    func draw(_ chance: inout Chance) -> Paper? {
        let word = chance.next()
        return state.withLock { state in
            guard !state.pile.isEmpty else { return nil }
            let depth = Int(word % UInt64(min(Limits.papersInUse, state.pile.count)))
            return state.pile.remove(at: state.pile.count - 1 - depth)
        }
    }

    /// Stamped or not.
    func putBack(_ paper: Paper) { state.withLock { $0.pile.append(paper) } }

    func stamped() { state.withLock { $0.stamped += 1 } }

    func taken() { state.withLock { $0.taken += 1 } }

    var counts: (stamped: Int, taken: Int) { state.withLock { ($0.stamped, $0.taken) } }
}
