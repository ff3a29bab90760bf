import EventLog
import Loyalty
import LoyaltyCodec

/// The newest gains of one holder in one campaign, as the writer's cache keeps them: those that ``StampGains`` counts, and a reserve.
///
/// A gain that is taken back leaves the list, and an older one of the reserve gets its place. So stamps that are given and taken back in
/// turn are never read again from the log. A read has to pass all stamps that were taken back since the gains that it looks for. It is
/// repeated only after more than ``Limits/reservedGains`` of them were taken back.
struct RecentGains {
    private static let most = Loyalty.Limits.stampGains + Limits.reservedGains

    /// The newest gains by position, oldest first, without those that were taken back.
    private var newest: [StampGains.Gain]
    /// Whether ``newest`` has all gains of the holder in the campaign.
    private var isComplete: Bool

    /// Reads the list from the log.
    init<Source: EventSource>(of holder: AccountID, in campaign: CampaignID, from log: LogPast<Source>) throws {
        let read = try log.newestGains(of: holder, in: campaign, count: Self.most)
        newest = read.newestFirst.prefix(Self.most).reversed()
        isComplete = read.isComplete && read.newestFirst.count <= Self.most
    }

    /// The gains that caps count; `nil` if too many were taken back, so that the log has to be read again.
    var counted: StampGains? {
        guard isComplete || newest.count >= Loyalty.Limits.stampGains else { return nil }
        return StampGains(newest.suffix(Loyalty.Limits.stampGains))
    }

    /// Adds the next gain of the log. As in ``StampGains``, a gain of 0 stamps is left out.
    mutating func add(_ gain: StampGains.Gain) {
        guard gain.stamps > 0 else { return }
        if newest.count == Self.most {
            newest.removeFirst()
            isComplete = false
        }
        newest.append(gain)
    }

    /// Removes the gains of a code, because its stamps were taken back.
    mutating func remove(_ code: CodeID) { newest.removeAll { $0.code == code } }
}

extension LogPast {
    /// The newest gains of the holder in the campaign that were not taken back: `count` of them and perhaps some more, or all if there are
    /// fewer. Also returns whether these are all.
    func newestGains(
        of holder: AccountID, in campaign: CampaignID, count: Int
    ) throws -> (newestFirst: [StampGains.Gain], isComplete: Bool) {
        let tags = tags(of: holder, in: campaign)
        var (newestFirst, reversed): ([StampGains.Gain], Set<CodeID>) = ([], [])
        var (before, isComplete): (Position?, Bool) = (nil, false)
        // A few reads suffice, unless many stamps were taken back, or many events only added bonus or welcome stamps. Such events have a
        // worth of 0 and do not count as gains.
        while !isComplete, newestFirst.count < count {
            let types: [EventType] = [.cardStamped, .stampReversed, .waitingCardTaken]
            let read = try newest(types, tags, limit: Loyalty.Limits.stampGains, through: before)
            // The newest events come first, so each reversal comes before the stamps that it took back.
            for fact in read {
                if case .stampReversed(let event) = fact.event { reversed.insert(event.code) }
                if case .waitingCardTaken(let event) = fact.event, event.worth > 0 {
                    newestFirst.append(event.gain(at: fact.time))
                }
                guard case .cardStamped(let event) = fact.event, event.worth > 0, !reversed.contains(event.code) else { continue }
                newestFirst.append(StampGains.Gain(code: event.code, at: fact.time, stamps: event.worth))
            }
            before = read.last.map { Position($0.position - 1) }
            isComplete = read.count < Loyalty.Limits.stampGains || before == Position.start
        }
        return (newestFirst, isComplete)
    }
}
