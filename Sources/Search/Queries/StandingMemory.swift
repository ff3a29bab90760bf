internal import Caches
internal import Loyalty
internal import Synchronization

/// A cache of campaigns' favourite counts and of accounts' favourites. It is a value type that must be held in a `Mutex`.
///
/// With the cache, a request for one campaign need not wait for a database reader. When a change of favourites is stored in the model,
/// the affected entries are dropped before the model reports its new position.
///
/// A result that was read before a change must not be cached after the change. So a reader notes the ``epoch`` before it reads the model,
/// and passes it with the result to be cached. The model's writer raises the epoch after each change.
struct StandingMemory {
    private var counts: GenerationalCache<CampaignID, Int>
    private var kept: GenerationalCache<AccountID, Set<CampaignID>>
    /// A number that grows with each change of favourites and with ``clear()``; see ``StandingMemory``.
    private(set) var epoch = 0

    init(
        campaignsMax: Int = SearchLimits.rememberedCampaignsMax, accountsMax: Int = SearchLimits.rememberedAccountsMax
    ) {
        (counts, kept) = (GenerationalCache(limit: campaignsMax), GenerationalCache(limit: accountsMax))
    }

    /// The cached favourite count of each campaign, and whether the account has the campaign as a favourite; nil if any of these is not
    /// cached.
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

    /// Caches favourite counts that were read from the model, unless favourites have changed since the read began.
    ///
    /// - Parameter epoch: the ``epoch`` before the read.
    mutating func remember(_ read: [CampaignID: Int], since epoch: Int) {
        guard epoch == self.epoch else { return }
        for (campaign, count) in read { counts[campaign] = count }
    }

    /// Caches an account's favourites that were read from the model, unless favourites have changed since the read began.
    mutating func remember(_ read: Set<CampaignID>, of account: AccountID, since epoch: Int) {
        if epoch == self.epoch { kept[account] = read }
    }

    /// Drops the campaign's count and the account's favourites, after the account has added or removed the campaign as a favourite.
    mutating func change(_ campaign: CampaignID, of account: AccountID) {
        epoch += 1
        counts[campaign] = nil
        kept[account] = nil
    }

    /// Drops everything, and prevents caching of values read before.
    mutating func clear() {
        epoch += 1
        counts.removeAll()
        kept.removeAll()
    }
}

/// A ``StandingMemory`` for concurrent tasks.
final class StandingCache: Sendable {
    private let memory: Mutex<StandingMemory>

    init(_ memory: StandingMemory = StandingMemory()) {
        self.memory = Mutex(memory)
    }

    /// The cached standings, or nil if any is not cached, and the current epoch. Pass this epoch to `remember` after reading the model.
    func look(_ campaigns: [CampaignID], for account: AccountID?) -> (found: [CampaignID: Standing]?, epoch: Int) {
        memory.withLock { ($0.standings(of: campaigns, for: account), $0.epoch) }
    }

    /// Caches standings.
    ///
    /// - Parameter kept: the account's favourites; nil without an account, or if they are too many.
    func remember(_ counts: [CampaignID: Int], _ kept: Set<CampaignID>?, of account: AccountID?, since epoch: Int) {
        memory.withLock { memory in
            memory.remember(counts, since: epoch)
            if let account, let kept { memory.remember(kept, of: account, since: epoch) }
        }
    }

    /// Drops everything, because readers now use another generation of the model, which may have a higher position.
    func forgetAll() { memory.withLock { $0.clear() } }

    /// Drops the entries that these events change. Call it after the events are stored in the model, and before the model reports its new
    /// position.
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
