import Charts
import Loyalty
import LoyaltyCodec
import ReadModels
import WebPages

/// The sections made from a shop's statistics.
struct VisitSections {
    /// With more days, each week has a bar.
    private static let barDaysMax = 31

    let words: NumbersWords
    let report: ShopReport

    var days: NumbersSection {
        var section = NumbersSection("days", title: words(.numbersDaysTitle))
        section.hint = words(.numbersDaysHint)
        section.finding = words.finding(report.days)
        section.figures = [
            .init(words(.numbersStamps), .number(report.stamps), .number),
            .init(words(.numbersCustomers), .number(report.activeCustomers), .number),
            .init(words(.numbersSecondDay), .init(report.repeatVisitRate), .share),
            .init(words(.numbersRedemptions), .number(report.redemptions), .number),
        ]
        section.more = [
            .init(words(.numbersNewCards), .number(report.newCards), .number),
            .init(words(.numbersBecameFull), .number(report.filled), .number),
            .init(words(.numbersReversals), .number(report.reversals), .number),
            .init(words(.numbersPerFullCard), .init(report.redemptionRate), .share),
        ]
        guard report.days.contains(where: \.hasActs) else { return section }
        section.columns = words.columns(
            (.numbersDay, .day), (.numbersCodes, .number), (.numbersStamps, .number), (.numbersNewCards, .number),
            (.numbersCustomers, .number), (.numbersRedemptions, .number), (.numbersReversals, .number))
        // Newest first, because owners look for recent days.
        section.rows = report.days.reversed().map { day in
            let counts = [day.codes, day.stamps, day.newCards, day.activeCustomers, day.redemptions, day.reversals]
            return [.text(NumbersWords.date(day.day))] + counts.map(NumbersSection.Cell.number)
        }
        section.picture = daysPicture
        return section
    }

    private var daysPicture: NumbersSection.Picture {
        let isByWeek = report.days.count > Self.barDaysMax
        // Counted back from the last day, so that the newest week is complete. Days before the oldest whole week have no bar.
        let length = isByWeek ? 7 : 1
        let groups = stride(from: report.days.count % length, to: report.days.count, by: length).map { start in
            let days = report.days[start..<(start + length)]
            let counts = [days.map(\.stamps), days.map(\.newCards), days.map(\.redemptions)].map { Double($0.reduce(0, +)) }
            return GroupedBarChart.Group(NumbersWords.shortDate(days[start].day), counts)
        }
        let series = [words(.numbersStamps), words(.numbersNewCards), words(.numbersRedemptions)]
        let (title, x): (Word, Word) = isByWeek ? (.numbersWeeksChart, .numbersWeek) : (.numbersDaysChart, .numbersDay)
        return words.picture(title, x: x, y: .numbersCount) { GroupedBarChart($0, series: series, groups, y: .count).svg() }
    }

    /// - Parameters:
    ///   - reader: the account that asks.
    ///   - name: an account's name for the shop's people.
    func staff(for reader: AccountID, _ name: (AccountID) throws -> String) rethrows -> NumbersSection {
        var section = NumbersSection("staff", title: words(.numbersStaffTitle))
        section.hint = words(.numbersStaffHint)
        let sorted = report.staff.sorted { ($1.value.stamps, $0.key) < ($0.value.stamps, $1.key) }
        let members = try sorted.map { (try name($0.key), $0.value) }
        guard !members.isEmpty else { return section }
        section.columns = words.columns(
            (.numbersMember, .text), (.numbersCodes, .number), (.numbersStamps, .number), (.numbersRedemptions, .number),
            (.numbersReversals, .number))
        section.finding = words.finding(.numbersStaffMost, of: members.map { ($0, $1.stamps) })
        section.readersRow = sorted.firstIndex { $0.key == reader }
        section.rows = members.map { name, work in
            [.text(name)] + [work.codes, work.stamps, work.redeemed, work.reversed].map(NumbersSection.Cell.number)
        }
        section.picture = Self.bars(.numbersStaffChart, members.map { ($0, $1.stamps) }, x: .numbersMember, y: .numbersStamps, words)
        return section
    }

    /// Bars for the first twelve names, shortened; the table has all.
    static func bars(_ title: Word, _ values: [(String, Int)], x: Word, y: Word, _ words: NumbersWords) -> NumbersSection.Picture {
        let first = values.prefix(12)
        let bars = zip(BarNames.short(first.map(\.0)), first).map { BarChart.Bar($0, Double($1.1), note: "\($1.1)") }
        return words.picture(title, x: x, y: y) { BarChart($0, bars, y: .count).svg() }
    }
}

struct BranchSection {
    struct Branch {
        let name: String
        let report: ShopReport
    }

    let words: NumbersWords
    let branches: [Branch]
    /// A customer of two shops is counted once.
    let all: ShopReport
    /// There are more shops than shown.
    let isCut: Bool

    var section: NumbersSection {
        var section = NumbersSection("branches", title: words(.numbersBranchesTitle))
        section.hint = isCut ? words(.numbersBranchesCut, ["shops": "\(branches.count)"]) : words(.numbersBranchesHint)
        section.columns = words.columns(
            (.numbersShop, .text), (.numbersStamps, .number), (.numbersNewCards, .number), (.numbersCustomers, .number),
            (.numbersRedemptions, .number), (.numbersSecondDay, .share))
        section.finding = words.finding(.numbersBranchesMost, of: branches.map { ($0.name, $0.report.stamps) })
        section.figures = [
            .init(words(.numbersStamps), .number(all.stamps), .number),
            .init(words(.numbersCustomers), .number(all.activeCustomers), .number),
            .init(words(.numbersSecondDay), .init(all.repeatVisitRate), .share),
            .init(words(.numbersRedemptions), .number(all.redemptions), .number),
        ]
        section.more = [.init(words(.numbersNewCards), .number(all.newCards), .number)]
        section.rows = branches.map { Self.row($0.name, $0.report) } + [Self.row(words(.numbersTogether), all)]
        section.picture = VisitSections.bars(
            .numbersBranchesChart, branches.map { ($0.name, $0.report.stamps) }, x: .numbersShop, y: .numbersStamps, words)
        return section
    }

    /// Too many visits for one report.
    static func tooMuch(_ words: NumbersWords) -> NumbersSection {
        var section = NumbersSection("branches", title: words(.numbersBranchesTitle))
        section.finding = words(.numbersBranchesTooMuch)
        return section
    }

    private static func row(_ name: String, _ report: ShopReport) -> [NumbersSection.Cell] {
        let counts = [report.stamps, report.newCards, report.activeCustomers, report.redemptions]
        return [.text(name)] + counts.map(NumbersSection.Cell.number) + [.init(report.repeatVisitRate)]
    }
}

extension ShopReport.Day {
    /// A milestone's reward has no column, but its customer is counted.
    var hasActs: Bool { codes + stamps + newCards + activeCustomers + redemptions + reversals > 0 }
}
