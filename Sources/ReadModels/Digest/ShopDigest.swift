internal import Foundation
public import Loyalty

/// The findings of a shop for today, the most important first, at most one of each kind.
public struct ShopDigest: Hashable, Sendable {
    /// The kinds in the order of importance: a time limit, trust, a promise, then business.
    public enum Kind: String, CaseIterable, Sendable {
        case cardsEnding, unusualReversals, rewardsWaiting, cardsLeft, quietHour
    }

    public let findings: [DigestFinding]
    /// The kinds whose figures needed too many rows.
    public let unanswered: [Kind]

    public init(of figures: DigestFigures, at shop: DigestShop) {
        findings = [
            CardsEnding(figures.ending).map { .cardsEnding($0) },
            UnusualReversals(figures.acts?.given, figures.reversals, except: shop.owner).map { .unusualReversals($0) },
            RewardsWaiting(figures.cards?.waiting).map { .rewardsWaiting($0) },
            CardsLeft(figures.cards?.left, at: shop).map { .cardsLeft($0) },
            QuietHour(figures.acts?.visits, open: shop.openingHours).map { .quietHour($0) },
        ].compactMap(\.self)
        unanswered = Kind.allCases.filter { kind in
            switch kind {
            case .cardsEnding: figures.ending == nil
            case .unusualReversals: figures.acts == nil || figures.reversals == nil
            case .rewardsWaiting, .cardsLeft: figures.cards == nil
            case .quietHour: figures.acts == nil
            }
        }
    }
}

/// One finding, which has at least ``ReadModelLimits/digestCasesMin`` cases.
public enum DigestFinding: Hashable, Sendable {
    case cardsEnding(CardsEnding)
    case unusualReversals(UnusualReversals)
    case rewardsWaiting(RewardsWaiting)
    case cardsLeft(CardsLeft)
    case quietHour(QuietHour)

    public var kind: ShopDigest.Kind {
        switch self {
        case .cardsEnding: .cardsEnding
        case .unusualReversals: .unusualReversals
        case .rewardsWaiting: .rewardsWaiting
        case .cardsLeft: .cardsLeft
        case .quietHour: .quietHour
        }
    }

    public var cases: Int {
        switch self {
        case .cardsEnding(let found): found.cards
        case .unusualReversals(let found): found.member.cases
        case .rewardsWaiting(let found): found.cards
        case .cardsLeft(let found): found.reached
        case .quietHour(let found): Int(found.expected)
        }
    }
}

private func isEnough(_ cases: Int) -> Bool { cases >= ReadModelLimits.digestCasesMin }

/// Cards that end soon. Each is a case.
public struct CardsEnding: Hashable, Sendable {
    public let cards: Int

    public init?(_ cards: Int?) {
        guard let cards, isEnough(cards) else { return nil }
        self.cards = cards
    }
}

/// Full cards whose reward has waited for long. Each is a case.
public struct RewardsWaiting: Hashable, Sendable {
    public let cards: Int

    public init?(_ cards: Int?) {
        guard let cards, isEnough(cards) else { return nil }
        self.cards = cards
    }
}

/// The number of stamps at which most cards of a running campaign were left. The cards that reached it are the cases.
public struct CardsLeft: Hashable, Sendable {
    public let campaign: CampaignID
    public let stamps: Int
    public let reached: Int
    public let left: Int

    public var share: Double { Double(left) / Double(reached) }

    /// The fewest stamps of several with equally many cards left. Cards with no more stamps than the present welcome are older than it, so
    /// a proposal that was followed is not made again.
    public init?(_ reports: [CampaignID: AbandonmentReport]?, at shop: DigestShop) {
        let welcomes = [CampaignID: Int](
            uniqueKeysWithValues: shop.campaigns.compactMap { each in each.options.welcomeStamps.map { (each.id, $0) } })
        var found: CardsLeft?
        for (campaign, report) in (reports ?? [:]).sorted(by: { $0.key < $1.key }) {
            for step in report.steps where welcomes[campaign].map({ step.stamps > $0 }) ?? true {
                guard isEnough(step.reached), step.share >= ReadModelLimits.digestLeftShareMin else { continue }
                if step.abandoned > found?.left ?? 0 { found = CardsLeft(campaign: campaign, step) }
            }
        }
        guard let found else { return nil }
        self = found
    }

    private init(campaign: CampaignID, _ step: AbandonmentReport.Step) {
        (self.campaign, stamps, reached, left) = (campaign, step.stamps, step.reached, step.abandoned)
    }
}

/// An hour of the day with at most half of the visits of an average open hour. The visits that such an hour would have had are the cases.
public struct QuietHour: Hashable, Sendable {
    /// 0 to 23, in the shop's time.
    public let hour: Int
    /// Those on which the shop is open for the whole hour.
    public let days: Weekdays
    public let visits: Int
    public let expected: Double

    /// The quietest hour, measured against the other open hours. Without opening hours, a quiet and a closed hour look the same.
    public init?(_ visits: [[Int]]?, open: [OpeningHours]?) {
        guard let visits, let open else { return nil }
        let weeks = ReadModelLimits.digestDays / 7
        let hours = (0..<24).map { hour -> (visits: Int, days: Weekdays) in
            let days = (0..<7).filter { open.areOpen(day: $0, hour: hour) }
            return (days.reduce(0) { $0 + visits[$1][hour] }, Weekdays(rawValue: days.reduce(0) { $0 | 1 << UInt8($1) }))
        }
        let all = hours.reduce((visits: 0, times: 0)) { ($0.visits + $1.visits, $0.times + $1.days.count * weeks) }
        var found: QuietHour?
        for (hour, own) in hours.enumerated() {
            let times = own.days.count * weeks
            guard times > 0, all.times > times else { continue }
            let expected = Double((all.visits - own.visits) * times) / Double(all.times - times)
            guard isEnough(Int(expected)), Double(own.visits) <= expected / 2 else { continue }
            let share = Double(own.visits) / expected
            if share < found.map({ Double($0.visits) / $0.expected }) ?? 1 {
                found = QuietHour(hour: hour, days: own.days, visits: own.visits, expected: expected)
            }
        }
        guard let found else { return nil }
        self = found
    }

    private init(hour: Int, days: Weekdays, visits: Int, expected: Double) {
        (self.hour, self.days, self.visits, self.expected) = (hour, days, visits, expected)
    }
}

extension Weekdays {
    fileprivate var count: Int { rawValue.nonzeroBitCount }
}

extension [OpeningHours] {
    fileprivate func areOpen(day: Int, hour: Int) -> Bool {
        let (from, to) = (hour * 60, (hour + 1) * 60)
        return contains { hours in
            let (isToday, isYesterday) = (hours.days >> UInt8(day) & 1 == 1, hours.days >> UInt8((day + 6) % 7) & 1 == 1)
            guard hours.toMinute <= hours.fromMinute else { return isToday && hours.fromMinute <= from && to <= hours.toMinute }
            return isToday && hours.fromMinute <= from || isYesterday && to <= hours.toMinute
        }
    }
}

/// A member of staff who takes back far more than the rest of the team, measured by what they gave.
///
/// Fisher's exact test, one-sided: if `all` gifts and reversals of the team were dealt at random, the member would rarely get so many of
/// the reversals. The chance, times the number of compared members, is at most ``ReadModelLimits/digestReversalChance``. The rest of the
/// team needs as many cases. The owner, who may correct everybody, is only part of the rest.
public struct UnusualReversals: Hashable, Sendable {
    /// Stamps and rewards given, and the reversals by the same people.
    public struct Work: Hashable, Sendable {
        public let given: Int
        public let reversed: Int

        public var all: Int { given + reversed }
        /// Never both together. A member who gives nothing may still take back what others gave.
        public var cases: Int { max(given, reversed) }
    }

    public let account: AccountID
    public let member: Work
    public let others: Work

    public init?(_ given: [AccountID: Int]?, _ reversals: [AccountID: Int]?, except owner: AccountID) {
        guard let given, let reversals else { return nil }
        let team = Set(given.keys).union(reversals.keys).sorted().map { account in
            (account: account, work: Work(given: given[account] ?? 0, reversed: reversals[account] ?? 0))
        }
        let all = Work(given: given.values.reduce(0, +), reversed: reversals.values.reduce(0, +))
        func others(than work: Work) -> Work { Work(given: all.given - work.given, reversed: all.reversed - work.reversed) }
        let compared = team.filter { $0.account != owner && isEnough($0.work.cases) && isEnough(others(than: $0.work).cases) }
        var found: (chance: Double, member: (account: AccountID, work: Work))?
        for member in compared {
            let chance = Self.chance(of: member.work.reversed, drawn: member.work.all, marked: all.reversed, of: all.all)
            guard chance * Double(compared.count) <= ReadModelLimits.digestReversalChance else { continue }
            if chance < found?.chance ?? 2 { found = (chance, member) }
        }
        guard let found else { return nil }
        (account, member) = (found.member.account, found.member.work)
        self.others = others(than: member)
    }

    /// The chance that at least `least` of `marked` things are among `drawn` of `total`: the tail of the hypergeometric distribution.
    package static func chance(of least: Int, drawn: Int, marked: Int, of total: Int) -> Double {
        let most = min(marked, drawn)
        guard least > max(0, drawn + marked - total) else { return 1 }
        guard least <= most else { return 0 }
        // Far below the mean the first term underflows, and a sum of zeros would accuse a member who takes back the least.
        guard least * total > drawn * marked else {
            return 1 - chance(of: marked - least + 1, drawn: total - drawn, marked: marked, of: total)
        }
        var logarithm = 0.0
        for place in 0..<least {
            logarithm += log(Double(marked - place)) - log(Double(place + 1)) + log(Double(drawn - place))
        }
        for place in 0..<(marked - least) { logarithm += log(Double(total - drawn - place)) }
        for place in 0..<marked { logarithm -= log(Double(total - place)) }
        var (term, sum) = (exp(logarithm), 0.0)
        for number in least...most {
            sum += term
            let rest = total - marked - drawn + number + 1
            term *= Double(marked - number) * Double(drawn - number) / (Double(number + 1) * Double(rest))
        }
        return min(1, sum)
    }
}
