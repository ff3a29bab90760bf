internal import Loyalty
internal import LoyaltyCodec

/// A saved search that was not removed.
struct LiveSearch {
    let account: AccountID
    var terms: Sealed
    var alerts: Bool
    /// Alerts name campaigns published after both.
    var (seen, searched): (UInt64, UInt64)
    var pausedFrom: Instant
}

struct LiveSearches {
    var live: [SearchID: LiveSearch] = [:]
    var counts: [AccountID: Int] = [:]
    /// By campaign, the position of its publication.
    var published: [CampaignID: UInt64] = [:]
}

extension RuleBook {
    mutating func check(_ event: SearchSaved, _ fact: Fact) {
        requireOwn(event.account, fact, "a search of \(event.account.text) was saved by somebody else")
        requireOnce(event.search.value, .search, "search \(event.search.text) was saved before")
        requireTerms(event.terms, of: event.search)
        searches.counts[event.account, default: 0] += 1
        require(searches.counts[event.account, default: 0] <= 50, "\(event.account.text) has more than 50 saved searches")
        searches.live[event.search] = LiveSearch(
            account: event.account, terms: event.terms, alerts: event.alerts, seen: fact.position, searched: fact.position,
            pausedFrom: fact.time)
    }

    mutating func check(_ event: SearchEdited, _ fact: Fact) {
        guard let known = search(event.search, of: event.account, fact) else { return }
        requireTerms(event.terms, of: event.search)
        let isChange = known.terms != event.terms || known.alerts != event.alerts
        require(isChange, "the edit of search \(event.search.text) changed nothing")
        searches.live[event.search]?.searched = fact.position
        searches.live[event.search]?.pausedFrom = fact.time
        searches.live[event.search]?.terms = event.terms
        searches.live[event.search]?.alerts = event.alerts
    }

    mutating func check(_ event: SearchRemoved, _ fact: Fact) {
        guard search(event.search, of: event.account, fact) != nil else { return }
        searches.live[event.search] = nil
        searches.counts[event.account, default: 1] -= 1
    }

    mutating func check(_ event: SearchSeen, _ fact: Fact) {
        guard search(event.search, of: event.account, fact) != nil else { return }
        searches.live[event.search]?.seen = fact.position
    }

    mutating func check(_ event: SearchAlerted, _ fact: Fact) {
        let name = "the alert of search \(event.search.text)"
        require(fact.actor == .system, "\(name) was due, and \(fact.actor.text) acted on it")
        let isNew = notices.insert(event.notice).inserted && scheduled[event.notice] == nil
        require(isNew, "notice \(event.notice.text) was posted before")
        require(!people.erased.contains(event.account), "\(name) came after its account was erased")
        require(!people.suspended.contains(event.account), "\(name) came while its account was suspended")
        guard let known = searches.live[event.search], known.account == event.account else {
            return require(false, "search \(event.search.text) is not a saved search of \(event.account.text)")
        }
        require(known.alerts, "search \(event.search.text) has no alerts")
        let dueAt = known.pausedFrom.advanced(bySeconds: 24 * 3_600)
        require(event.dueAt == dueAt, "\(name) was due at another time")
        require(dueAt <= fact.time, "\(name) came too early")
        let (after, through) = (max(known.seen, known.searched), event.through.position)
        require(through > after && through < fact.position, "\(name) searched up to position \(through)")
        requireNamed(event.campaigns.ids, of: event.account, after: after, through: through, fact, name)
        searches.live[event.search]?.searched = through
        searches.live[event.search]?.pausedFrom = fact.time
    }

    private mutating func requireNamed(
        _ named: [CampaignID], of account: AccountID, after: UInt64, through: UInt64, _ fact: Fact, _ name: String
    ) {
        require((1...20).contains(named.count) && Set(named).count == named.count, "\(name) names \(named.count) campaigns")
        for id in named {
            guard let campaign = campaigns[id], let position = searches.published[id] else {
                require(false, "\(name) names campaign \(id.text), which was never published")
                continue
            }
            require(after < position && position <= through, "\(name) names campaign \(id.text), which is not new")
            require(!campaign.isEnded && fact.time < campaign.terms.endsAt, "\(name) names campaign \(id.text), which is over")
            let isMuted = people.mutes.contains(StaffPlace(shop: campaign.shop, account: account))
            require(!isMuted, "\(name) names a campaign of shop \(campaign.shop.text), which is muted")
            let isOpen = !shops.suspended.contains(campaign.shop) && shops.closed[campaign.shop] == nil
            require(isOpen, "\(name) names a campaign of shop \(campaign.shop.text), which is suspended or closed")
        }
    }

    /// An erased account has no searches.
    mutating func forgetSearches(of account: AccountID) {
        guard searches.counts.removeValue(forKey: account) != nil else { return }
        searches.live = searches.live.filter { $0.value.account != account }
    }

    private mutating func search(_ id: SearchID, of account: AccountID, _ fact: Fact) -> LiveSearch? {
        requireOwn(account, fact, "search \(id.text) was changed by somebody else")
        let known = searches.live[id].flatMap { $0.account == account ? $0 : nil }
        require(known != nil, "search \(id.text) is not a saved search of \(account.text)")
        return known
    }

    private mutating func requireTerms(_ terms: Sealed, of search: SearchID) {
        require((29...1_024).contains(terms.bytes.count), "search \(search.text) has \(terms.bytes.count) bytes of terms")
    }
}
