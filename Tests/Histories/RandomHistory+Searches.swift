import Loyalty
import LoyaltyCodec
import World

extension RandomHistory {
    /// A customer saves, changes, looks at or removes a search, or gets an alert that is due.
    mutating func search() {
        let kept = world.searches.values.filter { !$0.isRemoved }.sorted { $0.id < $1.id }
        let terms = Sealed((0..<40).map { _ in UInt8.random(in: 0...255, using: &searching) })
        if let due = kept.first(where: { $0.alerts && $0.dueAt <= now }), Int.random(in: 0..<2, using: &searching) == 0 {
            return alert(due)
        }
        guard let known = kept.randomElement(using: &searching), kept.count > 5, Int.random(in: 0..<3, using: &searching) > 0 else {
            let customer = customers.randomElement(using: &searching)!
            let alerts = Int.random(in: 0..<4, using: &searching) > 0
            run(.search(.save(SaveSearch(search: SearchID(searchID()), terms: terms, alerts: alerts))), by: customer)
            return
        }
        switch Int.random(in: 0..<6, using: &searching) {
        case 0: run(.search(.remove(RemoveSearch(search: known.id))), by: known.account)
        case 1:
            run(.search(.edit(EditSearch(search: known.id, terms: terms, alerts: Bool.random(using: &searching)))), by: known.account)
        default: run(.search(.see(SeeSearch(search: known.id))), by: known.account)
        }
    }

    /// A shop publishes a promotion of two days, and the scheduler finds what was published since the last alert.
    private mutating func alert(_ search: SavedSearch) {
        let shop = shops.randomElement(using: &searching)!
        let terms = CampaignTerms<String>(
            title: "Two days", details: "", goal: 0, reward: "", startsAt: now, endsAt: now.advanced(bySeconds: 2 * 86_400))
        let promotion = PublishCampaign(campaign: CampaignID(searchID()), shop: shop, kind: .promotion, terms: terms)
        if let owner = world.shops[shop]?.owner { run(.publishCampaign(promotion), by: owner) }
        let new = facts[Int(search.after)...].compactMap { fact -> CampaignID? in
            if case .campaignPublished(let event) = fact.event { event.campaign } else { nil }
        }
        run(
            .search(
                .alert(
                    AlertSearch(
                        search: search.id, notice: NoticeID(searchID()), found: new.reversed(), hasMore: false, after: search.after,
                        through: UInt64(facts.count)))), by: .system)
    }

    private mutating func searchID() -> UInt128 { UUIDv7.make(at: now, random: (searching.next(), searching.next())) }
}
