internal import Loyalty
internal import Synchronization

/// A cache of campaigns' standings: how many accounts keep each campaign, and which ones an account keeps. A value for one `Mutex`.
///
/// A reader takes the ``epoch`` before it reads the model and passes it in with the result; the model's writer advances it after each
/// change. So no result from before a change is cached after it.
///
/// Bounded: two generations of named size. When the young one is full it becomes the old one.
struct StandingMemory {
    private struct Generation {
        var counts: [CampaignID: Int] = [:]
        var kept: [AccountID: Set<CampaignID>] = [:]
    }

    private var young = Generation()
    private var old = Generation()
    private let campaignsMax: Int
    private let accountsMax: Int
    /// Raised by each change.
    private(set) var epoch = 0

    init(
        campaignsMax: Int = SearchLimits.rememberedCampaignsMax, accountsMax: Int = SearchLimits.rememberedAccountsMax
    ) {
        (self.campaignsMax, self.accountsMax) = (campaignsMax, accountsMax)
    }

    /// How these campaigns stand with an account; nil where any of it is not remembered.
    mutating func standings(of campaigns: [CampaignID], for account: AccountID?) -> [CampaignID: Standing]? {
        var kept: Set<CampaignID>?
        if let account {
            kept = keptCampaigns(of: account)
            guard kept != nil else { return nil }
        }
        var standings: [CampaignID: Standing] = [:]
        for campaign in campaigns {
            guard let count = count(of: campaign) else { return nil }
            standings[campaign] = Standing(favorites: count, isFavorite: kept?.contains(campaign))
        }
        return standings
    }

    /// Remembers what was read, unless something has changed since.
    ///
    /// - Parameter epoch: as it was before reading.
    mutating func remember(_ counts: [CampaignID: Int], since epoch: Int) {
        guard epoch == self.epoch else { return }
        for (campaign, count) in counts { insert(campaign, count) }
    }

    /// The same for an account's favourites.
    mutating func remember(_ kept: Set<CampaignID>, of account: AccountID, since epoch: Int) {
        if epoch == self.epoch { insert(account, kept) }
    }

    /// An account keeps a campaign from now on, or no longer.
    mutating func change(_ campaign: CampaignID, of account: AccountID) {
        epoch += 1
        (young.counts[campaign], old.counts[campaign]) = (nil, nil)
        (young.kept[account], old.kept[account]) = (nil, nil)
    }

    /// Remembers nothing any more, and nothing that was read before.
    mutating func clear() {
        epoch += 1
        (young, old) = (Generation(), Generation())
    }

    private mutating func count(of campaign: CampaignID) -> Int? {
        if let count = young.counts[campaign] { return count }
        guard let count = old.counts.removeValue(forKey: campaign) else { return nil }
        insert(campaign, count)
        return count
    }

    private mutating func keptCampaigns(of account: AccountID) -> Set<CampaignID>? {
        if let kept = young.kept[account] { return kept }
        guard let kept = old.kept.removeValue(forKey: account) else { return nil }
        insert(account, kept)
        return kept
    }

    private mutating func insert(_ campaign: CampaignID, _ count: Int) {
        if young.counts.count >= campaignsMax, young.counts[campaign] == nil {
            old.counts = young.counts
            young.counts = [:]
        }
        young.counts[campaign] = count
    }

    private mutating func insert(_ account: AccountID, _ kept: Set<CampaignID>) {
        if young.kept.count >= accountsMax, young.kept[account] == nil {
            old.kept = young.kept
            young.kept = [:]
        }
        young.kept[account] = kept
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
