/// The identity of one thing of the kind `Noun`: a 128-bit number. Most ids are UUIDv7.
///
/// Because of the type parameter, the compiler refuses the id of a card where the id of a shop is needed.
public struct ID<Noun>: Hashable, Comparable, Sendable {
    /// The number, as stored in tags; for a UUID, its big-endian bytes are the UUID.
    public let value: UInt128

    @inlinable
    public init(_ value: UInt128) {
        self.value = value
    }

    /// Hashes only the lower 64 bits, of which 62 are random in a UUIDv7. This is faster and suffices; each decision looks up about a dozen
    /// ids.
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(truncatingIfNeeded: value))
    }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool {
        left.value < right.value
    }
}

public typealias AccountID = ID<Account>
public typealias SessionID = ID<Session>
public typealias ShopID = ID<Shop>
public typealias CampaignID = ID<Campaign>
public typealias CodeID = ID<Code>
public typealias CardID = ID<Card>
public typealias RedemptionID = ID<Redemption>
public typealias ReviewID = ID<Review>
public typealias ImageID = ID<Image>
public typealias NoticeID = ID<Notice>
public typealias InvitationID = ID<Invitation>
public typealias PrintID = ID<PaperPrint>
public typealias PaperID = ID<Paper>
