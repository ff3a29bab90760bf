/// A search for campaigns that an account keeps, to see what is new.
public struct SavedSearch: Hashable, Sendable {
    public let id: SearchID
    public let account: AccountID
    /// ``SearchTerms``, sealed under the account's key.
    public var terms: Sealed
    public var alerts: Bool
    public let savedAt: Instant
    /// The position and the moment from which campaigns are new to the account.
    public var seen: UInt64
    public var seenAt: Instant
    /// The position from which campaigns are new to alerts.
    public var through: UInt64
    /// An alert is due ``Limits/alertPauseSeconds`` after this.
    public var alertedAt: Instant
    public var isRemoved = false

    public init(
        id: SearchID, account: AccountID, terms: Sealed, alerts: Bool, savedAt: Instant, seen: UInt64, seenAt: Instant, through: UInt64,
        alertedAt: Instant
    ) {
        (self.id, self.account, self.terms, self.alerts, self.savedAt) = (id, account, terms, alerts, savedAt)
        (self.seen, self.seenAt, self.through, self.alertedAt) = (seen, seenAt, through, alertedAt)
    }

    public var dueAt: Instant { alertedAt.advanced(bySeconds: Limits.alertPauseSeconds) }

    /// Campaigns published after this position may be named by the next alert.
    public var after: UInt64 { max(seen, through) }
}

extension SavedSearch {
    public init?(opening fact: Fact) {
        guard case .searchSaved(let event) = fact.event else { return nil }
        self.init(
            id: event.search, account: event.account, terms: event.terms, alerts: event.alerts, savedAt: fact.time, seen: fact.position,
            seenAt: fact.time, through: fact.position, alertedAt: fact.time)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .searchEdited(let event) where event.search == id:
            // Alerts begin anew, so that the newest edit has the whole state, and nothing published while they were off is named.
            (terms, alerts, through, alertedAt) = (event.terms, event.alerts, fact.position, fact.time)
        case .searchRemoved(let event) where event.search == id: isRemoved = true
        case .searchSeen(let event) where event.search == id: (seen, seenAt) = (fact.position, fact.time)
        case .searchAlerted(let event) where event.search == id: (through, alertedAt) = (event.through.position, fact.time)
        default: break
        }
    }
}

/// The name and terms of a saved search. A term that is nil does not restrict it.
public struct SearchTerms: Hashable, Sendable {
    public var name: String?
    public var text: String?
    public var near: Coordinate?
    /// In metres around ``near``.
    public var radius: Double?
    public var kind: CampaignKind?
    /// In ten-thousandths of a star.
    public var minRating: Int?
    public var isOpen: Bool

    public init(
        name: String? = nil, text: String? = nil, near: Coordinate? = nil, radius: Double? = nil, kind: CampaignKind? = nil,
        minRating: Int? = nil, isOpen: Bool = false
    ) {
        (self.name, self.text, self.near, self.radius) = (name, text, near, radius)
        (self.kind, self.minRating, self.isOpen) = (kind, minRating, isOpen)
    }
}

/// The position up to which an alert has searched.
public struct SearchedThrough: Hashable, Sendable {
    public let position: UInt64

    public init(_ position: UInt64) { self.position = position }
}

/// The campaigns that an alert names, the newest first.
public struct FoundCampaigns: Hashable, Sendable {
    public let ids: [CampaignID]

    public init(_ ids: [CampaignID]) { self.ids = ids }
}
