/// A picture of a shop, a campaign or a person (图片). Decisions know it by its id alone; its bytes are no event.
public enum Image {}

/// Take a picture down. That the actor is an operator, or has sent the picture, is the caller's to know.
public struct TakeDownImage: Hashable, Sendable {
    public let image: ImageID
    /// The id that stands for the picture's bytes, regardless of the sender; nil if the sender takes it down, which concerns no copy.
    public let content: ImageID?
    public let asOperator: Bool

    public init(image: ImageID, content: ImageID? = nil, asOperator: Bool) {
        self.image = image
        self.content = content
        self.asOperator = asOperator
    }
}

/// The facts that taking a picture down needs.
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
        let copies = asOperator ? content.flatMap { $0 == image ? nil : $0 } : nil
        return [image, copies].compactMap { $0 }.map { .imageTakenDown(ImageTakenDown(image: $0, byOperator: asOperator)) }
    }
}

/// Somebody took a picture down: its bytes are removed, whatever still names it.
///
/// The event says who took the picture down and when, survives a restore, and forbids the same bytes for ever. A second event names them by
/// half of their digest, so that the ban covers copies of other senders. Events that name a removed picture keep naming it; its address
/// answers 404.
public struct ImageTakenDown: Hashable, Sendable {
    public let image: ImageID
    /// Whether an operator did it. The same bytes are then not accepted again.
    public let byOperator: Bool

    public init(image: ImageID, byOperator: Bool) {
        self.image = image
        self.byOperator = byOperator
    }
}
