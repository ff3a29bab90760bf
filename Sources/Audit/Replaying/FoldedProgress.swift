internal import Loyalty

/// How far a card is: 16 bytes.
struct FoldedProgress: Sendable {
    let goal: Int32
    var stamps: Int32 = 0
    /// Lines of its history.
    var entries: UInt32 = 0
    var status = CardStatus.collecting

    init(goal: Int32) {
        self.goal = goal
    }
}
