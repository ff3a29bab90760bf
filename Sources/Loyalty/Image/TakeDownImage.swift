/// Take a picture down. That the actor is an operator, or alone shows the picture, is the caller's to know: what a person shows of
/// themselves is sealed.
public struct TakeDownImage: Hashable, Sendable {
    public let image: ImageID
    public let asOperator: Bool

    public init(image: ImageID, asOperator: Bool) {
        self.image = image
        self.asOperator = asOperator
    }
}

/// What taking a picture down depends on.
public struct TakeDownImageSituation: Hashable, Sendable {
    public let actor: Account?

    public init(actor: Account?) {
        self.actor = actor
    }
}

extension TakeDownImage: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> TakeDownImageSituation {
        TakeDownImageSituation(actor: try past.account(actor))
    }

    /// Each time is an event: the same picture may have been sent again since the last one.
    public func decide(_ situation: TakeDownImageSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard situation.actor != nil else { throw .notFound }
        return [.imageTakenDown(ImageTakenDown(image: image, byOperator: asOperator))]
    }
}
