import Charts
import ReadModels
import WebPages

/// The tables about how customers return and how their cards end.
struct JourneySections {
    private static let secondsPerDay = 86_400.0

    let words: NumbersWords
    let report: JourneyReport

    /// By the week of the first visit.
    var retention: NumbersSection {
        let retention = report.retention
        var section = NumbersSection("retention", title: words(.numbersRetentionTitle))
        section.finding = words.finding(retention)
        section.hint = words(.numbersRetentionHint)
        section.figures = [
            .init(words(.numbersVisits), .number(retention.visits), .number),
            .init(words(.numbersCustomers), .number(retention.customers), .number),
            .init(words(.numbersSecondDay), .init(retention.repeatVisitRate), .share),
        ]
        guard !retention.cohorts.isEmpty else { return section }
        let weeks = retention.cohorts.map(\.active.count).max() ?? 0
        section.columns =
            words.columns((.numbersFirstWeek, .day), (.numbersNewCustomers, .number))
            + (0..<weeks).map { .init(words(.numbersWeekNumber, ["number": "\($0)"]), .share) }
        section.rows = retention.cohorts.reversed().map { cohort in
            let shares = (0..<weeks).map { week -> NumbersSection.Cell in
                week < cohort.active.count ? .fraction(Self.share(cohort.active[week], of: cohort.customers)) : .none
            }
            return [.text(NumbersWords.date(cohort.monday)), .number(cohort.customers)] + shares
        }
        let rows = retention.cohorts.map { cohort in
            HeatMap.Row(NumbersWords.date(cohort.monday), cohort.active.map { Self.share($0, of: cohort.customers) })
        }
        section.picture = words.picture(.numbersRetentionChart, x: .numbersWeeksLater, y: .numbersFirstWeek) { HeatMap($0, rows).svg() }
        return section
    }

    private static func share(_ part: Int, of whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }

    var fill: NumbersSection {
        let fill = report.fill
        var section = NumbersSection("fill", title: words(.numbersFillTitle))
        section.hint = words(.numbersFillHint)
        section.finding = words.finding(fill)
        section.figures = [
            .init(words(.numbersFilled), .number(fill.cards), .number),
            .init(words(.numbersMedianDays), .init(fill.medianSeconds.map { $0 / Self.secondsPerDay }), .decimal),
            .init(words(.numbersMostDays), .init(fill.p90Seconds.map { $0 / Self.secondsPerDay }), .decimal),
        ]
        guard let last = fill.histogram.last else { return section }
        section.columns = words.columns((.numbersFillDays, .number), (.numbersCards, .number))
        section.rows = fill.histogram.map { [.number($0.days), .number($0.cards)] }
        let counts = Dictionary(fill.histogram.map { ($0.days, $0.cards) }) { $0 + $1 }
        // Days without filled cards are included, so that the axis has no gaps.
        let bars = (0...last.days).map { BarChart.Bar("\($0)", Double(counts[$0] ?? 0)) }
        section.picture = words.picture(.numbersFillChart, x: .numbersFillDays, y: .numbersCards) { BarChart($0, bars, y: .count).svg() }
        return section
    }

    /// Stamps on abandoned cards.
    var left: NumbersSection {
        let left = report.abandonment
        var section = NumbersSection("left", title: words(.numbersLeftTitle))
        section.hint = words(.numbersLeftHint, ["days": "\(left.idleDays)"])
        // With at most one day more than `idleDays`, no card opened in the report can be idle, and a share of 0 would say nothing.
        let isTooEarly = report.days.count <= left.idleDays + 1 && left.steps.allSatisfy { $0.abandoned == 0 }
        section.figures = [
            .init(words(.numbersOpened), .number(left.cards), .number), .init(words(.numbersFull), .number(left.full), .number),
            .init(words(.numbersLeftShare), isTooEarly ? .none : .init(left.abandonedShare), .share),
        ]
        guard !left.steps.isEmpty else { return section }
        section.finding = isTooEarly ? words(.numbersLeftTooEarly, ["days": "\(left.idleDays)"]) : words.finding(left)
        section.columns = words.columns(
            (.numbersStamps, .number), (.numbersReached, .number), (.numbersIdle, .number), (.numbersDiscarded, .number),
            (.numbersLeftHere, .share))
        section.rows = left.steps.map { step in
            [step.stamps, step.reached, step.idle, step.discarded].map(NumbersSection.Cell.number) + [.fraction(step.share)]
        }
        guard !isTooEarly else { return section }
        // Percentages, like the axis; the table has the numbers.
        let bars = left.steps.map { step in
            BarChart.Bar("\(step.stamps)", step.share, note: step.abandoned > 0 ? "\(Int((step.share * 100).rounded()))%" : nil)
        }
        section.picture = words.picture(.numbersLeftChart, x: .numbersStamps, y: .numbersLeftHere) { BarChart($0, bars, y: .percent).svg() }
        return section
    }

    /// Nil if the request named no campaign of the shop.
    var effect: NumbersSection? {
        guard let effect = report.effect else { return nil }
        var section = NumbersSection("effect", title: words(.numbersEffectTitle))
        section.hint = words(.numbersEffectHint)
        section.finding = words.finding(effect)
        section.figures = [
            .init(words(.numbersChange), .init(effect.change), .change),
            .init(words(.numbersLastingChange), .init(effect.lastingChange), .change),
        ]
        let phases = [
            (words(.numbersBefore), effect.before.weeks), (words(.numbersDuring), effect.during.weeks),
            (words(.numbersAfter), effect.after.weeks),
        ]
        let weeks = phases.flatMap { name, weeks in weeks.map { (name, $0) } }
        guard weeks.contains(where: { $0.1.visits > 0 }) else { return section }
        section.columns = words.columns(
            (.numbersPhase, .text), (.numbersWeek, .day), (.numbersDayCount, .number), (.numbersVisits, .number),
            (.numbersCustomers, .number), (.numbersNewCustomers, .number))
        section.rows = weeks.map { name, week in
            let counts = [week.days, week.visits, week.activeCustomers, week.newCustomers]
            return [.text(name), .text(NumbersWords.date(week.firstDay))] + counts.map(NumbersSection.Cell.number)
        }
        // A series for each phase, so that colours show the phases.
        let groups = phases.enumerated().flatMap { number, phase in
            phase.1.map { week in
                GroupedBarChart.Group(
                    NumbersWords.shortDate(week.firstDay), phases.indices.map { $0 == number ? Double(week.visits) : .nan })
            }
        }
        section.picture = words.picture(.numbersEffectChart, x: .numbersWeek, y: .numbersVisits) {
            GroupedBarChart($0, series: phases.map(\.0), groups, y: .count).svg()
        }
        return section
    }
}
