/// Change a saved search.
public struct EditSearch: Hashable, Sendable {
    public let search: SearchID
    /// The caller MUST NOT seal unchanged terms again.
    public let terms: Sealed
    public let alerts: Bool

    public init(search: SearchID, terms: Sealed, alerts: Bool) { (self.search, self.terms, self.alerts) = (search, terms, alerts) }
}

extension EditSearch: Decision {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> SavedSearch? { try past.search(search) }

    public func decide(_ situation: SavedSearch?, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        let known = try situation.own(by: actor)
        if known.terms == terms, known.alerts == alerts { return [] }
        try FieldChecks.check { $0.require(sealedTerms: terms) }
        return [.searchEdited(SearchEdited(search: search, account: actor, terms: terms, alerts: alerts))]
    }
}

extension SavedSearch? {
    /// - Throws: `.notFound` for another's search, too.
    func own(by actor: AccountID) throws(Rejection) -> SavedSearch {
        guard let self, self.account == actor, !self.isRemoved else { throw .notFound }
        return self
    }
}
