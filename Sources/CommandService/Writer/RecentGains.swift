import EventLog
import Loyalty
import LoyaltyCodec

/// A holder's newest gains in one campaign: those that ``StampGains`` counts, and a reserve of ``Limits/reservedGains`` that saves a new
/// read of the log after each reversal.
struct RecentGains {
    private static let most = Loyalty.Limits.stampGains + Limits.reservedGains

    private var newest: [StampGains.Gain]
    private var isComplete: Bool

    init<Source: EventSource>(of holder: AccountID, in campaign: CampaignID, from log: LogPast<Source>) throws {
        let read = try log.newestGains(of: holder, in: campaign, count: Self.most)
        newest = read.newestFirst.prefix(Self.most).reversed()
        isComplete = read.isComplete && read.newestFirst.count <= Self.most
    }

    /// The gains that caps count; nil if the log has to be read again.
    var counted: StampGains? {
        guard isComplete || newest.count >= Loyalty.Limits.stampGains else { return nil }
        return StampGains(newest.suffix(Loyalty.Limits.stampGains))
    }

    mutating func add(_ gain: StampGains.Gain) {
        guard gain.stamps > 0 else { return }
        if newest.count == Self.most {
            newest.removeFirst()
            isComplete = false
        }
        newest.append(gain)
    }

    mutating func limit(_ code: CodeID, to left: Int) { newest.limit(code, to: left) }
}

extension LogPast {
    /// At least `count` of the newest gains that were not taken back; and whether these are all.
    func newestGains(
        of holder: AccountID, in campaign: CampaignID, count: Int
    ) throws -> (newestFirst: [StampGains.Gain], isComplete: Bool) {
        let tags = tags(of: holder, in: campaign)
        var (newestFirst, left): ([StampGains.Gain], [CodeID: Int]) = ([], [:])
        var (before, isComplete): (Position?, Bool) = (nil, false)
        // Events that only added bonus or welcome stamps do not count as gains, so several reads may be needed.
        while !isComplete, newestFirst.count < count {
            let types: [EventType] = [.cardStamped, .stampReversed, .waitingCardTaken]
            let read = try newest(types, tags, limit: Loyalty.Limits.stampGains, through: before)
            // Newest first, so a code's last reversal comes before the others and before the stamps.
            for fact in read {
                if case .stampReversed(let event) = fact.event, left[event.code] == nil { left[event.code] = event.left }
                if case .waitingCardTaken(let event) = fact.event, event.worth > 0 { newestFirst.append(event.gain(at: fact.time)) }
                guard case .cardStamped(let event) = fact.event, event.worth > 0 else { continue }
                let stamps = min(event.worth, left[event.code] ?? event.worth)
                if let known = left[event.code] { left[event.code] = known - stamps }
                if stamps > 0 { newestFirst.append(StampGains.Gain(code: event.code, at: fact.time, stamps: stamps)) }
            }
            before = read.last.map { Position($0.position - 1) }
            isComplete = read.count < Loyalty.Limits.stampGains || before == Position.start
        }
        return (newestFirst, isComplete)
    }
}
