/// The 128-bit identity of one thing of the kind `Noun`, mostly a UUIDv7.
public struct ID<Noun>: Hashable, Comparable, Sendable {
    public let value: UInt128

    @inlinable
    public init(_ value: UInt128) { self.value = value }

    /// Faster, and 62 of these bits are random in a UUIDv7.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(UInt64(truncatingIfNeeded: value)) }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.value < right.value }
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
public typealias SearchID = ID<SavedSearch>
