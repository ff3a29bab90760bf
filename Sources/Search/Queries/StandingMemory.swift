internal import Caches
internal import Loyalty
internal import Synchronization

/// A cache of campaigns' standings: how many accounts keep each campaign, and which ones an account keeps. A value for one `Mutex`.
///
/// A reader takes the ``epoch`` before it reads the model and passes it in with the result; the model's writer advances it after each
/// change. So no result from before a change is cached after it.
///
/// Counts and an account's favourites are cached so that a request for one campaign waits for no reader of SQLite. They are dropped when
/// the model shows a change, before the model reports it.
struct StandingMemory {
    private var counts: GenerationalCache<CampaignID, Int>
    private var kept: GenerationalCache<AccountID, Set<CampaignID>>
    /// Raised by each change.
    private(set) var epoch = 0

    init(
        campaignsMax: Int = SearchLimits.rememberedCampaignsMax, accountsMax: Int = SearchLimits.rememberedAccountsMax
    ) {
        (counts, kept) = (GenerationalCache(limit: campaignsMax), GenerationalCache(limit: accountsMax))
    }

    /// How these campaigns stand with an account; nil where any of it is not remembered.
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

    /// Remembers what was read, unless something has changed since.
    ///
    /// - Parameter epoch: as it was before reading.
    mutating func remember(_ read: [CampaignID: Int], since epoch: Int) {
        guard epoch == self.epoch else { return }
        for (campaign, count) in read { counts[campaign] = count }
    }

    /// The same for an account's favourites.
    mutating func remember(_ read: Set<CampaignID>, of account: AccountID, since epoch: Int) {
        if epoch == self.epoch { kept[account] = read }
    }

    /// An account keeps a campaign from now on, or no longer.
    mutating func change(_ campaign: CampaignID, of account: AccountID) {
        epoch += 1
        counts[campaign] = nil
        kept[account] = nil
    }

    /// Remembers nothing any more, and nothing that was read before.
    mutating func clear() {
        epoch += 1
        counts.removeAll()
        kept.removeAll()
    }
}

/// A ``StandingMemory`` for any number of tasks.
final class StandingCache: Sendable {
    private let memory: Mutex<StandingMemory>

    init(_ memory: StandingMemory = StandingMemory()) {
        self.memory = Mutex(memory)
    }

    /// The cached standings, and the epoch to pass in with those that have to be read.
    func look(_ campaigns: [CampaignID], for account: AccountID?) -> (found: [CampaignID: Standing]?, epoch: Int) {
        memory.withLock { ($0.standings(of: campaigns, for: account), $0.epoch) }
    }

    /// - Parameter kept: nil where there is nobody, or too much of it.
    func remember(_ counts: [CampaignID: Int], _ kept: Set<CampaignID>?, of account: AccountID?, since epoch: Int) {
        memory.withLock { memory in
            memory.remember(counts, since: epoch)
            if let account, let kept { memory.remember(kept, of: account, since: epoch) }
        }
    }

    /// Forgets everything: another generation of the model, which may have come further, is before the readers.
    func forgetAll() { memory.withLock { $0.clear() } }

    /// Forgets what these events have changed. To be called when the model shows them, and before it says so.
    func forget(_ facts: [Fact]) {
        memory.withLock { memory in
            for fact in facts {
                switch fact.event {
                case .favoriteAdded(let event): memory.change(event.campaign, of: event.account)
                case .favoriteRemoved(let event): memory.change(event.campaign, of: event.account)
                default: break
                }
            }
        }
    }
}
