/// Have seen what a saved search finds.
public struct SeeSearch: Hashable, Sendable {
    public let search: SearchID

    public init(search: SearchID) { self.search = search }
}

extension SeeSearch: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> SavedSearch? { try past.search(search) }

    public func decide(_ situation: SavedSearch?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        _ = try situation.own(by: actor)
        return [.searchSeen(SearchSeen(search: search, account: actor))]
    }
}

/// Remove a saved search.
public struct RemoveSearch: Hashable, Sendable {
    public let search: SearchID

    public init(search: SearchID) { self.search = search }
}

extension RemoveSearch: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> SavedSearch? { try past.search(search) }

    public func decide(_ situation: SavedSearch?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        if let known = situation, known.account == actor, known.isRemoved { return [] }
        _ = try situation.own(by: actor)
        return [.searchRemoved(SearchRemoved(search: search, account: actor))]
    }
}
