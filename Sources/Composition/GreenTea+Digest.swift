public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec
import ReadModels

extension GreenTea {
    /// The acts that each member took back at a shop. A code counts once, however many cards it stamped. A waiting code of a paper
    /// card counts neither here nor among the stamps given. Reads at most ``Limits/reversalsReadMax`` events from the log; nil if there are
    /// more.
    public func reversals(at shop: ShopID, on days: ShopDays) throws(ServiceError) -> [AccountID: Int]? {
        let types: [EventType] = [.stampReversed, .redemptionReversed, .milestoneReversed]
        return try reading { past in
            var (counts, codes, before, left): ([AccountID: Int], Set<CodeID>, Position?, Int) = ([:], [], nil, Limits.reversalsReadMax)
            repeat {
                let page = try past.acts(types, at: shop, on: days, before: before, limit: left) { _ in true }
                for fact in page.facts {
                    if case .stampReversed(let event) = fact.event, !codes.insert(event.code).inserted { continue }
                    counts[fact.actor, default: 0] += 1
                }
                (before, left) = (page.next, left - page.facts.count)
            } while before != nil && left > 0
            return before == nil ? counts : nil
        }
    }
}
