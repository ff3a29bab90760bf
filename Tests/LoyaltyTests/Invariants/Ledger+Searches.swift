import Loyalty
import World

/// Rules about saved searches and their alerts.
extension Ledger {
    /// A saved search as its account sees it.
    struct Interest {
        let account: AccountID
        var terms: Sealed
        var alerts: Bool
        var (looked, told): (UInt64, UInt64)
        var waitsFrom: Instant

        var news: UInt64 { max(looked, told) }
        var dueAt: Instant { waitsFrom.advanced(bySeconds: 86_400) }
    }

    mutating func enterSearch(_ fact: Fact) {
        switch fact.event {
        case .searchSaved(let event):
            must(event.account == fact.actor, "an account saves its own searches")
            must(!everSaved.contains(event.search), "a search is saved once")
            must(interests.values.count { $0.account == event.account } < 50, "an account has at most fifty searches")
            everSaved.insert(event.search)
            interests[event.search] = Interest(
                account: event.account, terms: event.terms, alerts: event.alerts, looked: fact.position, told: fact.position,
                waitsFrom: fact.time)
        case .searchEdited(let event):
            mustBeOwn(event.search, event.account, fact)
            let known = interests[event.search]
            must(known?.terms != event.terms || known?.alerts != event.alerts, "an edit changes something")
            interests[event.search]?.terms = event.terms
            interests[event.search]?.alerts = event.alerts
            interests[event.search]?.told = fact.position
            interests[event.search]?.waitsFrom = fact.time
        case .searchSeen(let event):
            mustBeOwn(event.search, event.account, fact)
            interests[event.search]?.looked = fact.position
        case .searchRemoved(let event):
            mustBeOwn(event.search, event.account, fact)
            interests[event.search] = nil
        case .searchAlerted(let event): enter(event, fact)
        default: break
        }
    }

    private mutating func mustBeOwn(_ search: SearchID, _ account: AccountID, _ fact: Fact) {
        must(account == fact.actor && interests[search]?.account == account, "an account changes its own searches, until it removes them")
    }

    private mutating func enter(_ event: SearchAlerted, _ fact: Fact) {
        must(fact.actor == .system, "only the scheduler alerts")
        let known = interests[event.search]
        must(known?.alerts == true && known?.account == event.account, "only a search with alerts has one")
        must(known?.dueAt == event.dueAt && event.dueAt <= fact.time, "a search has one alert a day")
        let named = event.campaigns.ids
        must((1...20).contains(named.count) && Set(named).count == named.count, "an alert names 1 to 20 campaigns")
        for id in named {
            must(publications[id].map { (known?.news ?? .max) < $0 && $0 <= event.through.position } == true, "an alert names what is new")
            must(isNamed(id, to: event.account, at: fact.time), "an alert names no campaign that is over, or of a muted or hidden shop")
        }
        must(notices.insert(event.notice).inserted, "an alert is a new notice")
        speakers[event.notice] = Speaker(shop: nil, author: .system)
        interests[event.search]?.told = event.through.position
        interests[event.search]?.waitsFrom = fact.time
    }

    private func isNamed(_ id: CampaignID, to account: AccountID, at time: Instant) -> Bool {
        guard let campaign = campaigns[id], !endedCampaigns.contains(id), time < campaign.terms.endsAt else { return false }
        return trades(campaign.shop) && !mutes.contains(Mute(account: account, shop: campaign.shop))
    }

    /// The campaigns that an alert names; empty if it is not due.
    func named(by command: AlertSearch, at now: Instant) -> [CampaignID] {
        guard let known = interests[command.search], known.alerts, known.dueAt <= now, known.news == command.after,
            command.through > command.after, !suspended.contains(known.account), !notices.contains(command.notice)
        else { return [] }
        return Array(command.found.filter { isNamed($0, to: known.account, at: now) }.prefix(20))
    }
}
