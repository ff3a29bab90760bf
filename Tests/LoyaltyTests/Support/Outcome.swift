import Loyalty
import Testing

/// The verdict on a command, and the expectations about it.
struct Outcome {
    let before: Scenario
    let command: Command
    let actor: AccountID
    let now: Instant
    let verdict: Result<[LoyaltyEvent], Rejection>

    /// The scenario after the command. If the command was rejected, it is the scenario before it.
    var after: Scenario {
        guard case .success(let events) = verdict else { return before }
        return before.given(events, at: now, by: actor)
    }

    /// Expects exactly these events. Repeating the command must cause no further ones.
    @discardableResult
    func then(_ events: LoyaltyEvent..., sourceLocation: SourceLocation = #_sourceLocation) -> Scenario {
        #expect(verdict == .success(events), sourceLocation: sourceLocation)
        if !events.isEmpty { expectNothingMore(sourceLocation) }
        return after
    }

    /// Expects that the command is accepted without events.
    func thenNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(verdict == .success([]), sourceLocation: sourceLocation)
    }

    func thenRejected(_ rejection: Rejection, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(verdict == .failure(rejection), sourceLocation: sourceLocation)
    }

    /// Expects a rejection of exactly these fields, in this order.
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

    /// Expects any events.
    func thenAccepted(sourceLocation: SourceLocation = #_sourceLocation) {
        guard case .success(let events) = verdict, !events.isEmpty else {
            Issue.record("expected events, got \(verdict)", sourceLocation: sourceLocation)
            return
        }
        expectNothingMore(sourceLocation)
    }

    private func expectNothingMore(_ sourceLocation: SourceLocation) {
        // A refresh uses up its token, so a repeated refresh deliberately counts as a reused token.
        if case .refreshSession = command { return }
        // A repeated adjustment is a new adjustment. To prevent a second one, a client sends the expected version of the card or an
        // idempotency key.
        if case .adjustCard = command { return }
        // Each reversal of a part is a new one, unless it has the same idempotency key.
        if case .reverseStamp(let reversal) = command, reversal.stamps != nil { return }
        // Feedback that is sent twice is recorded twice.
        if case .giveFeedback = command { return }
        // Each search is recorded.
        if case .noteSearch = command { return }
        // A repeated command takes the picture down again, because the picture may have been uploaded again in between.
        if case .takeDownImage = command { return }
        guard case .success(let more) = after.when(command, by: actor, at: now).verdict else { return }
        #expect(more.isEmpty, "the same command again must do nothing", sourceLocation: sourceLocation)
    }
}
