internal import Loyalty
internal import ReadModels

extension ShopReport {
    /// A row for each day, and one for all of them.
    func pastRows(_ zone: ReportZone) -> [[PastField]] {
        let days = days.map { day -> [PastField] in
            [
                PastField("day", .word(FullDate.text(day.day))), .number("codes", day.codes), .number("stamps", day.stamps),
                .number("newCards", day.newCards), .number("activeCustomers", day.activeCustomers),
                .number("redemptions", day.redemptions), .number("reversals", day.reversals),
            ]
        }
        return days + [total(zone)]
    }

    private func total(_ zone: ReportZone) -> [PastField] {
        let ends = [("from", days.first), ("to", days.last)].compactMap { name, day in
            day.map { PastField(name, .word(FullDate.text($0.day))) }
        }
        return ends + [
            PastField("timeZone", .word(zone.name)), .number("codes", codes), .number("stamps", stamps), .number("newCards", newCards),
            .number("activeCustomers", activeCustomers), .number("returningCustomers", returningCustomers),
            .number("filled", filled), .number("redemptions", redemptions), .number("reversals", reversals),
        ]
    }
}
