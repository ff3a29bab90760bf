internal import Caches
internal import Loyalty
internal import Synchronization

/// A cache of campaigns' favourite counts and accounts' favourites, to be held in a `Mutex`.
///
/// A result read before a change must not be cached after it. So a reader notes the ``epoch`` before its read, and each stored change
/// raises it before the model reports it.
struct StandingMemory {
    private var counts: GenerationalCache<CampaignID, Int>
    private var kept: GenerationalCache<AccountID, Set<CampaignID>>
    /// Grows with each change and with ``clear()``.
    private(set) var epoch = 0

    init(campaignsMax: Int = SearchLimits.rememberedCampaignsMax, accountsMax: Int = SearchLimits.rememberedAccountsMax) {
        (counts, kept) = (GenerationalCache(limit: campaignsMax), GenerationalCache(limit: accountsMax))
    }

    mutating func standings(of campaigns: [CampaignID], for account: AccountID?) -> [CampaignID: Standing]? {
        var own: Set<CampaignID>?
        if let account {
            own = kept[account]
            guard own != nil else { return nil }
        }
        var standings: [CampaignID: Standing] = [:]
        for campaign in campaigns {
            guard let count = counts[campaign] else { return nil }
            standings[campaign] = Standing(favorites: count, isFavorite: own?.contains(campaign))
        }
        return standings
    }

    /// Caches counts that were read since `epoch`, unless favourites have changed.
    mutating func remember(_ read: [CampaignID: Int], since epoch: Int) {
        guard epoch == self.epoch else { return }
        for (campaign, count) in read { counts[campaign] = count }
    }

    mutating func remember(_ read: Set<CampaignID>, of account: AccountID, since epoch: Int) {
        if epoch == self.epoch { kept[account] = read }
    }

    mutating func change(_ campaign: CampaignID, of account: AccountID) {
        epoch += 1
        counts[campaign] = nil
        kept[account] = nil
    }

    mutating func clear() {
        epoch += 1
        counts.removeAll()
        kept.removeAll()
    }
}

/// A ``StandingMemory`` for concurrent tasks.
final class StandingCache: Sendable {
    private let memory: Mutex<StandingMemory>

    init(_ memory: StandingMemory = StandingMemory()) { self.memory = Mutex(memory) }

    func look(_ campaigns: [CampaignID], for account: AccountID?) -> (found: [CampaignID: Standing]?, epoch: Int) {
        memory.withLock { ($0.standings(of: campaigns, for: account), $0.epoch) }
    }

    func remember(_ counts: [CampaignID: Int], _ kept: Set<CampaignID>?, of account: AccountID?, since epoch: Int) {
        memory.withLock { memory in
            memory.remember(counts, since: epoch)
            if let account, let kept { memory.remember(kept, of: account, since: epoch) }
        }
    }

    /// Drops everything for another generation, which may have a higher position.
    func forgetAll() { memory.withLock { $0.clear() } }

    /// Drops what these events change. Call it after they are stored and before the model reports its position.
    func forget(_ facts: [Fact]) {
        memory.withLock { memory in
            for fact in facts {
                switch fact.event {
                case .favoriteAdded(let event): memory.change(event.campaign, of: event.account)
                case .favoriteRemoved(let event): memory.change(event.campaign, of: event.account)
                // The event does not name the account's favourites.
                case .accountErased: memory.clear()
                default: break
                }
            }
        }
    }
}
