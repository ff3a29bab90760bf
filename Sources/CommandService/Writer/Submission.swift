import Loyalty

/// One command on its way to the writer.
struct Submission: Sendable {
    let command: Command
    let caller: Caller
    /// When it happened; `nil` for now, by the writer's clock. An import hands in the visits' own times.
    let at: Instant?
}
