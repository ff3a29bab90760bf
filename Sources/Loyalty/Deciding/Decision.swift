/// The fixed skeleton of every command: first load what the decision needs, then decide purely.
///
/// The two halves are apart so that a decision can be tested, replayed and read without a store: all that it may know is in
/// `Situation`, and all that can fail while looking stays in `situation(in:by:)`.
public protocol Decision: Hashable, Sendable {
    associatedtype Situation: Sendable

    /// Gathers the facts that `decide` needs. It MUST NOT judge; a thing that is not there is a `nil` in the situation.
    func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation

    /// Judges. It MUST be a pure function of its arguments; no events means "accepted, and nothing is left to do".
    func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent]
}

extension Decision {
    /// Loads and decides; a rejection is a result, so that what is thrown is only ever a failure to look.
    public func judge<P: Past>(
        in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Result<[LoyaltyEvent], Rejection> {
        let situation = try situation(in: &past, by: actor)
        do throws(Rejection) {
            return .success(try decide(situation, by: actor, at: now))
        } catch {
            return .failure(error)
        }
    }
}
