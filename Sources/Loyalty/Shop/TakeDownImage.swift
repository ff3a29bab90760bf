/// A picture of a shop, a campaign or a person (图片). Its bytes are not in the log.
public enum Image {}

/// Take a picture down. The caller MUST know that the actor is an operator or uploaded the picture.
public struct TakeDownImage: Hashable, Sendable {
    public let image: ImageID
    /// The id of the bytes; nil for an uploader's own picture, which leaves other people's copies alone.
    public let content: ImageID?
    public let asOperator: Bool

    public init(image: ImageID, content: ImageID? = nil, asOperator: Bool) {
        (self.image, self.content, self.asOperator) = (image, content, asOperator)
    }
}

extension TakeDownImage: Decision {
    /// The picture may have been uploaded again, so each take-down adds an event.
    public func decide(_ situation: Void, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let copies = asOperator ? content.flatMap { $0 == image ? nil : $0 } : nil
        return [image, copies].compactMap { $0 }.map { .imageTakenDown(ImageTakenDown(image: $0, byOperator: asOperator)) }
    }
}
