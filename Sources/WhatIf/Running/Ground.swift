internal import Loyalty

/// What no programme rule touches: who there is, which shops and campaigns, who works where. Both courses of history stand on it.
///
/// It is confined to the thread that re-runs a history.
final class Ground {
    /// Registered and not erased.
    private(set) var accounts: Set<AccountID> = []
    private(set) var shops: [ShopID: Shop] = [:]
    /// As they were recorded.
    private(set) var campaigns: [CampaignID: Campaign] = [:]

    /// Takes an event over as it was recorded.
    func take(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event): accounts.insert(event.account)
        case .accountErased(let event): accounts.remove(event.account)
        case .shopOpened(let event): shops[event.shop] = Shop(opening: fact)
        case .shopEdited(let event): shops[event.shop]?.evolve(fact)
        case .staffAdded(let event): shops[event.shop]?.evolve(fact)
        case .staffRemoved(let event): shops[event.shop]?.evolve(fact)
        case .staffJoined(let event): shops[event.shop]?.evolve(fact)
        case .employmentEnded(let event): shops[event.shop]?.evolve(fact)
        case .shopSuspended(let event): shops[event.shop]?.evolve(fact)
        case .shopReinstated(let event): shops[event.shop]?.evolve(fact)
        case .shopClosed(let event): shops[event.shop]?.evolve(fact)
        case .campaignPublished(let event): campaigns[event.campaign] = Campaign(opening: fact)
        case .campaignEdited(let event): campaigns[event.campaign]?.evolve(fact)
        case .campaignEnded(let event): campaigns[event.campaign]?.evolve(fact)
        default: break
        }
    }
}
