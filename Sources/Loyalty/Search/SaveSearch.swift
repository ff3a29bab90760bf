/// Keep a search for campaigns.
public struct SaveSearch: Hashable, Sendable {
    public let search: SearchID
    public let terms: Sealed
    public let alerts: Bool

    public init(search: SearchID, terms: Sealed, alerts: Bool) { (self.search, self.terms, self.alerts) = (search, terms, alerts) }
}

extension SaveSearch: Decision {
    public typealias Situation = (searchWithID: SavedSearch?, count: Int)

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation {
        (searchWithID: try past.search(search), count: try past.searchCount(of: actor))
    }

    public func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        if let existing = situation.searchWithID {
            guard existing.account == actor else { throw .notFound }
            return []
        }
        let most = Limits.savedSearches
        try FieldChecks.check {
            $0.require(situation.count < most, "", .savedSearches(max: most))
            $0.require(sealedTerms: terms)
        }
        return [.searchSaved(SearchSaved(search: search, account: actor, terms: terms, alerts: alerts))]
    }
}

extension FieldChecks {
    /// Checks only the size, which bounds the event. The service checked the terms before sealing.
    mutating func require(sealedTerms terms: Sealed) {
        let bytes = Limits.sealedSearchBytes
        require(bytes.contains(terms.bytes.count), "", .sealedBytes(max: bytes.upperBound))
    }
}
