public import EventLog

/// The kinds of tag in GreenTea's events. `LoyaltySchema` has their names.
extension TagKind {
    /// The person it is about: holder, owner, author, whoever registered.
    @inlinable public static var account: TagKind { TagKind(rawValue: 1) }
    /// The shop it happened at.
    @inlinable public static var shop: TagKind { TagKind(rawValue: 2) }
    /// The campaign it belongs to.
    @inlinable public static var campaign: TagKind { TagKind(rawValue: 3) }
    /// A stamp code by its id.
    @inlinable public static var code: TagKind { TagKind(rawValue: 4) }
    /// A card.
    @inlinable public static var card: TagKind { TagKind(rawValue: 5) }
    /// A redemption by its id.
    @inlinable public static var redemption: TagKind { TagKind(rawValue: 6) }
    /// The review's own id, or the reply's.
    @inlinable public static var review: TagKind { TagKind(rawValue: 7) }
    /// A refresh-token family.
    @inlinable public static var session: TagKind { TagKind(rawValue: 8) }
    /// Keyed hash of a stamp code.
    @inlinable public static var codeSecret: TagKind { TagKind(rawValue: 9) }
    /// Keyed hash of a redemption code.
    @inlinable public static var redemptionSecret: TagKind { TagKind(rawValue: 10) }
    /// Keyed hash of a phone number.
    @inlinable public static var phone: TagKind { TagKind(rawValue: 11) }
    /// Keyed hash of account and idempotency key: finds the answer to a repeated request.
    @inlinable public static var request: TagKind { TagKind(rawValue: 12) }
    /// Keyed hash of the request's content: tells a repeated request from another one under the same key. Not indexed.
    @inlinable public static var digest: TagKind { TagKind(rawValue: 13) }
    /// What a reply answers.
    @inlinable public static var parent: TagKind { TagKind(rawValue: 14) }
    /// The review at the root of a reply.
    @inlinable public static var thread: TagKind { TagKind(rawValue: 15) }
    /// A picture that a shop or a campaign shows from then on.
    @inlinable public static var image: TagKind { TagKind(rawValue: 16) }
    /// A notice.
    @inlinable public static var notice: TagKind { TagKind(rawValue: 17) }
    /// An offer to work at a shop.
    @inlinable public static var invitation: TagKind { TagKind(rawValue: 18) }
}
