import Charts
import Loyalty
import LoyaltyCodec
import WebPages
import WhatIf

/// The answer to a what-if question in words, tables and a chart.
struct WhatIfAnswer {
    let question: WhatIfQuestion
    let report: WhatIfReport
    let words: NumbersWords

    var shown: WebPage.WhatIfView.Answer {
        var answer = WebPage.WhatIfView.Answer(asked: asked, sentences: sentences)
        answer.isInexact = report.check.different > 0
        guard !report.isEmpty else { return answer }
        answer.tables = [figures] + (report.refused.isEmpty ? [] : [refused]) + [months]
        answer.chartSays = words.says(chartTitle)
        return answer
    }

    /// By month: cards filled, and cards that would have been.
    var chart: String {
        let groups = report.months.map { month in
            GroupedBarChart.Group(month.month.text, [Double(month.figures.before.filled), Double(month.figures.after.filled)])
        }
        return words.picture(.whatIfChart, x: .whatIfMonth, y: .whatIfFilled) {
            GroupedBarChart($0, series: [words(.whatIfWas), words(.whatIfWouldBe)], groups, y: .count).svg()
        }.svg
    }

    private var chartTitle: String { words(.whatIfChart) }

    // MARK: The terms in words

    private var asked: String {
        let (rules, terms) = (question.rules, question.campaign.terms)
        var parts: [String] = []
        if let goal = rules.goal {
            let word: Word = goal == terms.goal ? .whatIfSameGoalPart : .whatIfGoalPart
            parts.append(words(word, ["goal": "\(goal)", "was": "\(terms.goal)"]))
        }
        switch rules.stampsPerDayMax {
        case .unchanged: break
        case .removed: parts.append(words(.whatIfNoCapPart))
        case .set(let cap): parts.append(words(.whatIfCapPart, ["stamps": "\(cap)"]))
        }
        switch rules.welcomeStamps {
        case .unchanged: break
        case .removed: parts.append(words(.whatIfNoWelcomePart))
        case .set(let welcome): parts.append(words(.whatIfWelcomePart, ["stamps": "\(welcome)"]))
        }
        switch rules.bonuses {
        case .unchanged: break
        case .removed: parts.append(words(.whatIfNoBonusPart))
        case .set(let bonuses):
            parts += bonuses.map { bonus in
                let hours = ["from": DayClock.text(bonus.fromMinute), "to": DayClock.text(bonus.toMinute), "factor": "\(bonus.factor)"]
                return words(.whatIfBonusPart, hours)
            }
        }
        return parts.dropFirst().reduce(parts.first ?? "") { words(.whatIfAnd, ["first": $0, "then": $1]) }
    }

    private var sentences: [String] {
        guard !report.isEmpty else { return [words(.whatIfNothing)] }
        let (before, after) = (report.total.before, report.total.after)
        let counts = [
            "filled": "\(after.filled)", "filledWas": "\(before.filled)",
            "redeemed": "\(after.redeemed)", "redeemedWas": "\(before.redeemed)",
        ]
        let (waiting, waitingWas) = (max(0, after.filled - after.redeemed), max(0, before.filled - before.redeemed))
        let gap = waiting > 0 ? [words(.whatIfGap, ["waiting": "\(waiting)", "waitingWas": "\(waitingWas)"])] : []
        let people = report.accounts
        let changes = ["gaining": "\(people.gaining)", "losing": "\(people.losing)", "same": "\(people.unchanged)"]
        let months = report.months.map(\.month.text)
        let period = ["from": months.first ?? "", "to": months.last ?? ""]
        return [words(.whatIfCards, counts)] + gap + [words(.whatIfPeople, changes)]
            + (months.isEmpty ? [] : [words(.whatIfPeriod, period)])
    }

    // MARK: The tables of the answer

    private var figures: WebPage.WhatIfView.Table {
        let figures: [(Word, KeyPath<Tally, Int>)] = [
            (.numbersStamps, \.stamps), (.whatIfOpened, \.opened), (.whatIfFilled, \.filled), (.whatIfRedeemed, \.redeemed),
        ]
        return .init(
            title: words(.whatIfFigures),
            columns: [words(.whatIfFigure), words(.whatIfWas), words(.whatIfWouldBe), words(.whatIfDifference)],
            rows: figures.map { word, figure in
                let (before, after) = (report.total.before[keyPath: figure], report.total.after[keyPath: figure])
                return [words(word), "\(before)", "\(after)", "\(after > before ? "+" : "")\(after - before)"]
            })
    }

    private var months: WebPage.WhatIfView.Table {
        .init(
            title: words(.whatIfMonths),
            columns: [
                words(.whatIfMonth), words(.whatIfFilledWas), words(.whatIfFilledWouldBe), words(.whatIfRedeemedWas),
                words(.whatIfRedeemedWouldBe),
            ],
            rows: report.months.map { month in
                let (before, after) = (month.figures.before, month.figures.after)
                return [month.month.text] + [before.filled, after.filled, before.redeemed, after.redeemed].map(String.init)
            })
    }

    /// Accepted commands that the terms in question would have refused, by reason; similar reasons are one row.
    private var refused: WebPage.WhatIfView.Table {
        var counts: [Word: Int] = [:]
        for row in report.refused { counts[Self.word(of: row.refusal.reason), default: 0] += row.count }
        return .init(
            title: words(.whatIfRefused), columns: [words(.whatIfReason), words(.whatIfTimes)],
            rows: Self.reasons.compactMap { word in counts[word].map { [words(word), "\($0)"] } })
    }

    /// In the order of the rows.
    static let reasons: [Word] = [
        .whatIfTooOften, .whatIfLimit, .whatIfPaperFull, .whatIfNotFull, .whatIfNotReached, .whatIfTooLate, .whatIfOtherRule,
        .whatIfFollowing,
    ]

    static func word(of reason: Refusal.Reason) -> Word {
        switch reason {
        case .aboveCap, .tooOften: .whatIfTooOften
        case .limitReached: .whatIfLimit
        case .paperFull: .whatIfPaperFull
        case .notFull, .redeemedBefore: .whatIfNotFull
        case .notReached: .whatIfNotReached
        case .codeExpired, .redemptionNotValid, .notReversible: .whatIfTooLate
        case .doesNotFit, .other: .whatIfOtherRule
        case .codeNotIssued, .codeNotOpen, .noSuchCard, .notRequested, .notRedeemed: .whatIfFollowing
        }
    }
}
