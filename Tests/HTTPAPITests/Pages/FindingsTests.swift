import Loyalty
import Testing
import WebPages

@testable import HTTPAPI
@testable import ReadModels

/// The sentences with which the charts of a shop's numbers begin.
@Suite("Findings")
struct FindingsTests {
    private static let english = NumbersWords(language: .english)

    /// Days with so many stamps, the last of them today.
    private func days(_ stamps: [Int]) -> [ShopReport.Day] {
        stamps.enumerated().map { number, stamps in
            var day = ShopReport.Day(day: number)
            day.stamps = stamps
            return day
        }
    }

    @Test(
        "The newer half of the whole days is compared with the older half, and today is left out",
        arguments: [
            ([10, 20, 30, 15, 99], "50% more stamps in the last 2 days than in the 2 before: 45 and 30."),
            ([20, 20, 10, 10, 0], "50% fewer stamps in the last 2 days than in the 2 before: 20 and 40."),
            ([30, 32, 500], "About as many stamps on the last day as on the one before: 32 and 30."),
            // The first day of an odd number has no counterpart, and days before the first act say nothing.
            ([0, 0, 900, 40, 43, 1], "About as many stamps on the last day as on the one before: 43 and 40."),
            ([15, 14, 300, 300, 0], ""), ([40, 0], ""), ([], ""),
        ])
    func days(_ stamps: [Int], _ sentence: String) { #expect(Self.english.finding(days(stamps)) == sentence) }

    @Test("The latest of four weeks that thirty customers have reached is named")
    func retention() {
        var report = RetentionReport()
        report.cohorts = [
            ShopReport.Cohort(monday: 4, customers: 20, active: [20, 9, 5, 4, 3, 2]),
            ShopReport.Cohort(monday: 11, customers: 20, active: [20, 6, 3]),
        ]
        #expect(Self.english.finding(report) == "Of 40 new customers, 20% came in the week that was 2 weeks after their first.")
        report.cohorts[1] = ShopReport.Cohort(monday: 25, customers: 9, active: [9, 1])
        #expect(Self.english.finding(report).isEmpty, "twenty-nine customers")
        report.cohorts[1] = ShopReport.Cohort(monday: 25, customers: 10, active: [10, 3])
        #expect(Self.english.finding(report) == "Of 30 new customers, 40% came in the week after their first.")
    }

    @Test("Times of filled cards are rounded up to whole days")
    func fill() {
        var report = FillReport()
        (report.cards, report.medianSeconds, report.p90Seconds) = (30, 86_401, 864_000)
        #expect(Self.english.finding(report) == "Half of 30 cards became full within 2 days, and nine of ten within 10.")
        report.cards = 29
        #expect(Self.english.finding(report).isEmpty)
    }

    @Test("The number of stamps at which most cards are left is named with its share of all cards")
    func left() {
        var report = AbandonmentReport(idleDays: 60)
        report.cards = 50
        report.steps = [
            .init(stamps: 0, reached: 50, idle: 0, discarded: 1), .init(stamps: 1, reached: 49, idle: 8, discarded: 3),
            .init(stamps: 2, reached: 38, idle: 2, discarded: 0),
        ]
        #expect(Self.english.finding(report) == "Most are left at one stamp: 11 of 50 cards, 22%.")
        report.steps = [.init(stamps: 0, reached: 50, idle: 0, discarded: 0)]
        #expect(Self.english.finding(report) == "None of 50 cards is left.")
        report.cards = 29
        #expect(Self.english.finding(report).isEmpty)
    }

    @Test("Visits a week during a campaign are compared with those before")
    func effect() {
        func phase(_ visits: Int) -> CampaignEffect.Phase {
            var week = CampaignEffect.Week(firstDay: 0, days: 7)
            week.visits = visits
            return CampaignEffect.Phase(weeks: [week])
        }
        func effect(_ before: Int, _ during: Int) -> CampaignEffect {
            CampaignEffect(
                campaign: CampaignID(1), firstDay: 0, lastDay: 6, before: phase(before), during: phase(during), after: phase(0))
        }
        #expect(Self.english.finding(effect(40, 50)) == "25% more visits a week while it ran than before: 50 and 40.")
        #expect(Self.english.finding(effect(40, 30)) == "25% fewer visits a week while it ran than before: 30 and 40.")
        #expect(Self.english.finding(effect(40, 41)) == "About as many visits a week while it ran as before: 41 and 40.")
        #expect(Self.english.finding(effect(29, 90)).isEmpty)
    }

    @Test("The largest of several parts is named, in either language, and one part alone is no finding")
    func parts() {
        let parts = [(name: "Lin", stamps: 20), (name: "Mia", stamps: 60)]
        #expect(Self.english.finding(.numbersStaffMost, of: parts) == "Mia gave most: 75% of 80 stamps.")
        #expect(NumbersWords(language: .chinese).finding(.numbersStaffMost, of: parts) == "Mia 发放最多：80 点中的 75%。")
        #expect(Self.english.finding(.numbersStaffMost, of: [parts[1]]).isEmpty)
        #expect(Self.english.finding(.numbersStaffMost, of: [(name: "Lin", stamps: 9), (name: "Mia", stamps: 20)]).isEmpty)
    }

    @Test(
        "Names below bars are short and stay apart",
        arguments: [
            (["Tea", "Cake"], ["Tea", "Cake"]),
            (["Green Tea Nanjing Road", "Coffee"], ["Green Tea…", "Coffee"]),
            (["Green Tea Nanjing Road", "Green Tea Huaihai Road"], ["…Nanjing …", "…Huaihai …"]),
            (["Green Tea Nanjing East", "Green Tea Nanjing West", "Green Tea Huaihai"], ["…East", "…West", "…Huaihai"]),
            (["好喝奶茶店南京东路一号店", "好喝奶茶店南京东路二号店"], ["…一号店", "…二号店"]),
            (["Green Tea House", "Green Tea House"], ["Green T… 1", "Green T… 2"]), (["Tea", "Tea"], ["Tea 1", "Tea 2"]), ([], []),
        ])
    func names(_ names: [String], _ short: [String]) {
        #expect(BarNames.short(names) == short)
        #expect(BarNames.short(names).allSatisfy { $0.count <= BarNames.charactersMax })
    }
}
