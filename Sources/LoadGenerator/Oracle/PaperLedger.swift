import Synchronization

/// The paper cards that shops have printed and no customer has added to an account. Each paper card has the stamps that its future holder
/// will get. Any lane may use the ledger.
///
/// A lane draws a paper card from the pile. It puts the card back after the answer, unless a customer added the card to an account. So no
/// other lane changes the paper card in between, and the expected answer is known.
final class PaperLedger: Sendable {
    /// A card on paper.
    struct Paper: Sendable, Equatable {
        let code: String
        /// The number of the shop with whose campaign the card was printed.
        let shop: Int
        /// The number of stamps that the card's future holder will get.
        var stamps = 0
        /// The same stamps, by the id of the shop at which they were given.
        var stampsByPlace: [String: Int] = [:]
    }

    private struct State {
        var pile: [Paper] = []
        var codes: Set<String> = []
        var (stamped, taken) = (0, 0)
    }

    private let state = Mutex(State())
    private let violations: Violations

    init(_ violations: Violations) {
        self.violations = violations
    }

    /// Adds blank cards to the bottom of the pile.
    func printed(_ codes: [String], of shop: Int) {
        let isNew = state.withLock { state in
            state.pile.insert(contentsOf: codes.map { Paper(code: $0, shop: shop) }, at: 0)
            return codes.allSatisfy { state.codes.insert($0).inserted }
        }
        violations.require(isNew, "a card on paper was printed twice")
    }

    /// Draws one of the topmost ``Limits/papersInUse`` cards, so that these cards get stamps more than once; nil if the pile is empty.
    func draw(_ chance: inout Chance) -> Paper? {
        let word = chance.next()
        return state.withLock { state in
            guard !state.pile.isEmpty else { return nil }
            let depth = Int(word % UInt64(min(Limits.papersInUse, state.pile.count)))
            return state.pile.remove(at: state.pile.count - 1 - depth)
        }
    }

    /// Puts a drawn card back on the pile, stamped or not.
    func putBack(_ paper: Paper) {
        state.withLock { $0.pile.append(paper) }
    }

    /// Counts one stamping of a paper at the counter.
    func stamped() { state.withLock { $0.stamped += 1 } }

    /// Counts one paper card that a customer added to an account.
    func taken() { state.withLock { $0.taken += 1 } }

    /// The number of times that the counter stamped a paper card, and the number of paper cards that customers added to their accounts.
    var counts: (stamped: Int, taken: Int) { state.withLock { ($0.stamped, $0.taken) } }
}
