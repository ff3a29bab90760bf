internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

extension ShopReport {
    /// A row for each day, and one for all of them.
    func pastRows(_ zone: PastZone) -> [[PastField]] {
        let days = days.map { day -> [PastField] in
            [
                PastField("day", .word(PastZone.text(day: day.day))), .number("codes", day.codes), .number("stamps", day.stamps),
                .number("newCards", day.newCards), .number("activeCustomers", day.activeCustomers),
                .number("redemptions", day.redemptions),
            ]
        }
        return days + [total(zone)]
    }

    private func total(_ zone: PastZone) -> [PastField] {
        let ends = [("from", days.first), ("to", days.last)].compactMap { name, day in
            day.map { PastField(name, .word(PastZone.text(day: $0.day))) }
        }
        return ends + [
            PastField("timeZone", .word(zone.name)), .number("codes", codes), .number("stamps", stamps), .number("newCards", newCards),
            .number("activeCustomers", activeCustomers), .number("returningCustomers", returningCustomers),
            .number("filled", filled), .number("redemptions", redemptions),
        ]
    }
}
