import ReadModels
import WebPages

/// The sentence with which each chart begins, computed from its figures.
extension NumbersWords {
    /// A finding needs as many cases, because a share of fewer changes with every customer.
    static let casesMin = 30
    /// Smaller relative changes count as none.
    static let changeMin = 0.1

    /// The newer half of the whole days against the older half. Today is left out, and so are days before the first act.
    func finding(_ days: [ShopReport.Day]) -> String {
        let whole = Array(days.dropLast().drop { !$0.hasActs })
        let length = whole.count / 2
        let (old, new) = (Self.stamps(whole.dropLast(length).suffix(length)), Self.stamps(whole.suffix(length)))
        guard length > 0, old >= Self.casesMin else { return "" }
        let values = ["new": "\(new)", "old": "\(old)", "change": Self.percent(abs(Double(new) / Double(old) - 1))]
        let change = Double(new) / Double(old) - 1
        let word: Word = abs(change) < Self.changeMin ? .numbersDaysSteady : change > 0 ? .numbersDaysMore : .numbersDaysFewer
        return self(word, count: length, values)
    }

    private static func stamps(_ days: ArraySlice<ShopReport.Day>) -> Int { days.reduce(0) { $0 + $1.stamps } }

    /// The latest of four weeks for which enough customers have been known.
    func finding(_ retention: RetentionReport) -> String {
        let points = retention.curve.filter { (1...4).contains($0.week) && $0.customers >= Self.casesMin }
        guard let last = points.last else { return "" }
        let values = ["share": Self.percent(last.retention), "customers": "\(last.customers)"]
        return self(.numbersRetentionFound, count: last.week, values)
    }

    func finding(_ fill: FillReport) -> String {
        guard fill.cards >= Self.casesMin, let half = fill.medianSeconds, let most = fill.p90Seconds else { return "" }
        return self(.numbersFillFound, count: Self.days(half), ["cards": "\(fill.cards)", "most": "\(Self.days(most))"])
    }

    /// Rounded up, and at least 1.
    private static func days(_ seconds: Double) -> Int { max(1, Int((seconds / 86_400).rounded(.up))) }

    /// The number of stamps at which most cards are left.
    func finding(_ left: AbandonmentReport) -> String {
        guard let most = left.steps.max(by: { ($0.abandoned, $1.stamps) < ($1.abandoned, $0.stamps) }), left.cards >= Self.casesMin
        else { return "" }
        guard most.abandoned > 0 else { return self(.numbersLeftNone, ["cards": "\(left.cards)"]) }
        let share = Self.percent(Double(most.abandoned) / Double(left.cards))
        return self(.numbersLeftMost, count: most.stamps, ["left": "\(most.abandoned)", "cards": "\(left.cards)", "share": share])
    }

    func finding(_ effect: CampaignEffect) -> String {
        guard effect.before.weeks.reduce(0, { $0 + $1.visits }) >= Self.casesMin, let change = effect.change,
            let (old, new) = effect.before.visitsPerWeek.flatMap({ old in effect.during.visitsPerWeek.map { (old, $0) } })
        else { return "" }
        let word: Word = abs(change) < Self.changeMin ? .numbersEffectSteady : change > 0 ? .numbersEffectMore : .numbersEffectFewer
        let values = ["change": Self.percent(abs(change)), "old": "\(Int(old.rounded()))", "new": "\(Int(new.rounded()))"]
        return self(word, values)
    }

    /// The largest of several parts.
    func finding(_ word: Word, of parts: [(name: String, stamps: Int)]) -> String {
        let all = parts.reduce(0) { $0 + $1.stamps }
        guard parts.count > 1, all >= Self.casesMin, let most = parts.max(by: { $0.stamps < $1.stamps }) else { return "" }
        return self(word, ["name": most.name, "share": Self.percent(Double(most.stamps) / Double(all)), "stamps": "\(all)"])
    }

    static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded()))%" }
}

/// Names below bars.
enum BarNames {
    /// As many fit below one of twelve bars.
    static let charactersMax = 10

    /// Shortened so that different names stay different, and equal ones are numbered.
    static func short(_ names: [String]) -> [String] {
        let ends = names.map { cut($0) }
        var short = names.enumerated().map { number, name in
            let alike = names.indices.filter { ends[$0] == ends[number] && names[$0] != name }
            guard let other = alike.map({ shared(name, names[$0]) }).max() else { return ends[number] }
            return cut("…" + name.dropFirst(other))
        }
        let counts = Dictionary(short.map { ($0, 1) }, uniquingKeysWith: +)
        var seen: [String: Int] = [:]
        for number in short.indices where counts[short[number]] ?? 0 > 1 {
            let name = short[number]
            seen[name, default: 0] += 1
            let mark = " \(seen[name] ?? 0)"
            short[number] = cut(name, to: charactersMax - mark.count) + mark
        }
        return short
    }

    private static func cut(_ name: String, to most: Int = charactersMax) -> String {
        name.count > most ? name.prefix(most - 1) + "…" : name
    }

    /// The length of the common beginning, back to the beginning of a word that is near.
    private static func shared(_ one: String, _ other: String) -> Int {
        let common = zip(one, other).prefix { $0 == $1 }.map(\.0)
        let word = common.lastIndex(where: \.isWhitespace).map { $0 + 1 } ?? common.count
        return common.count - word < charactersMax - 2 ? word : common.count
    }
}
