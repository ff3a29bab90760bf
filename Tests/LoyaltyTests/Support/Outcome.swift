import Loyalty
import Testing

/// What became of a command, and the ways to say what should have.
struct Outcome {
    let before: Scenario
    let command: Command
    let actor: AccountID
    let now: Instant
    let verdict: Result<[LoyaltyEvent], Rejection>

    /// The scenario in which the command's events have happened.
    var after: Scenario {
        guard case .success(let events) = verdict else { return before }
        return before.given(events, at: now, by: actor)
    }

    /// Accepted with exactly these events; and given again, the command does nothing more.
    @discardableResult
    func then(_ events: LoyaltyEvent..., sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        #expect(verdict == .success(events), sourceLocation: sourceLocation)
        if !events.isEmpty { expectNothingMore(sourceLocation) }
        return after
    }

    /// Accepted, and nothing was left to do.
    func thenNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(verdict == .success([]), sourceLocation: sourceLocation)
    }

    func thenRejected(_ rejection: Rejection, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(verdict == .failure(rejection), sourceLocation: sourceLocation)
    }

    /// Rejected for exactly these fields, in this order, whatever the words.
    func thenInvalid(_ fields: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        thenInvalid(fields, sourceLocation: sourceLocation)
    }

    func thenInvalid(_ fields: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .failure(.invalid(let invalid)) = verdict else {
            Issue.record("expected .invalid(\(fields)), got \(verdict)", sourceLocation: sourceLocation)
            return
        }
        #expect(invalid.map(\.field) == fields, sourceLocation: sourceLocation)
    }

    /// Events of any content.
    func thenAccepted(sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .success(let events) = verdict, !events.isEmpty else {
            Issue.record("expected events, got \(verdict)", sourceLocation: sourceLocation)
            return
        }
        expectNothingMore(sourceLocation)
    }

    private func expectNothingMore(_ sourceLocation: SourceLocation) {
        // A refresh spends its token: given again it is a token reused, on purpose.
        if case .refreshSession = command { return }
        // An adjustment given again is another one; who must not do it twice says which card they saw, or uses a key.
        if case .adjustCard = command { return }
        // What is said twice was said twice.
        if case .giveFeedback = command { return }
        // Each search is recorded.
        if case .noteSearch = command { return }
        // The picture may have been sent again in between.
        if case .takeDownImage = command { return }
        guard case .success(let more) = after.when(command, by: actor, at: now).verdict else { return }
        #expect(more.isEmpty, "the same command again must do nothing", sourceLocation: sourceLocation)
    }
}
