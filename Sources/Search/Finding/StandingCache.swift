internal import Loyalty
internal import Synchronization

/// A ``StandingMemory`` for any number of tasks.
final class StandingCache: Sendable {
    private let memory: Mutex<StandingMemory>

    init(_ memory: StandingMemory = StandingMemory()) {
        self.memory = Mutex(memory)
    }

    /// What is remembered, and the epoch to hand in with what has to be read otherwise.
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
