/// Name the new campaigns of a saved search in a notice; only for the service's scheduler.
///
/// The scheduler finds the campaigns, because only the service can open the terms and search by them.
public struct AlertSearch: Hashable, Sendable {
    public let search: SearchID
    public let notice: NoticeID
    /// The newest first, published after ``after`` and up to ``through``, at most ``Limits/alertCandidates``.
    public let found: [CampaignID]
    public let hasMore: Bool
    public let after, through: UInt64

    public init(search: SearchID, notice: NoticeID, found: [CampaignID], hasMore: Bool, after: UInt64, through: UInt64) {
        (self.search, self.notice, self.found, self.hasMore) = (search, notice, found, hasMore)
        (self.after, self.through) = (after, through)
    }
}

/// The facts that an alert needs.
public struct AlertSituation: Hashable, Sendable {
    /// A campaign, with whether its shop is muted by the account, suspended or closed.
    public struct Found: Hashable, Sendable {
        public let campaign: Campaign
        public let isSilent: Bool
    }

    public let search: SavedSearch?
    /// `nil` if the account was erased.
    public let account: Account?
    public let noticeWithID: Notice?
    /// Empty if no alert is due.
    public let found: [Found]
}

extension AlertSearch: Decision {
    public static var needsAccount: Bool { false }

    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> AlertSituation {
        try situation(in: &past) { _ in true }
    }

    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> AlertSituation {
        try situation(in: &past) { isDue($0, at: now) }
    }

    private func situation<P: Past>(in past: inout P, isDue: (SavedSearch) -> Bool) throws(P.Failure) -> AlertSituation {
        guard let known = try past.search(search) else { return AlertSituation(search: nil, account: nil, noticeWithID: nil, found: []) }
        var candidates: [AlertSituation.Found] = []
        if isDue(known) {
            for id in found.prefix(Limits.alertCandidates) {
                guard let campaign = try past.campaign(id), let shop = try past.shop(campaign.shop) else { continue }
                let isMuted = try past.has(Mute(account: known.account, shop: shop.id))
                candidates.append(.init(campaign: campaign, isSilent: isMuted || shop.isSuspended || shop.closing != nil))
            }
        }
        return AlertSituation(
            search: known, account: try past.account(known.account), noticeWithID: try past.notice(notice), found: candidates)
    }

    /// No events if a search is no longer what the scheduler found: it tries again. Repeats change nothing.
    public func decide(_ situation: AlertSituation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent] {
        guard let known = situation.search, isDue(known, at: now), situation.account?.isSuspended == false, situation.noticeWithID == nil
        else { return [] }
        let named = situation.found.filter { !$0.isSilent && !$0.campaign.isOver(at: now) }.map(\.campaign.id)
        guard !named.isEmpty else { return [] }
        return [
            .searchAlerted(
                SearchAlerted(
                    search: search, account: known.account, notice: notice, dueAt: known.dueAt, through: SearchedThrough(through),
                    campaigns: FoundCampaigns(Array(named.prefix(Limits.alertedCampaigns))),
                    hasMore: hasMore || named.count > Limits.alertedCampaigns))
        ]
    }

    private func isDue(_ known: SavedSearch, at now: Instant) -> Bool {
        !known.isRemoved && known.alerts && known.dueAt <= now && known.after == after && through > after
    }
}
