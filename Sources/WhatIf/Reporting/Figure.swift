/// One of the figures of a tally, as reports name it.
struct Figure {
    let title: String
    /// Its name in files.
    let name: String
    let isMoney: Bool
    let value: (Tally) -> Int

    private init(_ title: String, _ name: String, isMoney: Bool = false, _ value: @escaping (Tally) -> Int) {
        (self.title, self.name, self.isMoney, self.value) = (title, name, isMoney, value)
    }

    /// In the order of reports; costs only where there are prices.
    static func all(_ report: WhatIfReport) -> [Figure] {
        let figures = [
            Figure("stamps", "stamps") { $0.stamps }, Figure("cards opened", "opened") { $0.opened },
            Figure("cards filled", "filled") { $0.filled }, Figure("rewards redeemed", "redeemed") { $0.redeemed },
        ]
        return report.hasPrices ? figures + [Figure("cost", "cost_cents", isMoney: true) { $0.cents }] : figures
    }

    /// `1234` as it is, money as `12.34`.
    func text(_ value: Int) -> String {
        guard isMoney else { return "\(value)" }
        let (whole, rest) = abs(value).quotientAndRemainder(dividingBy: 100)
        return "\(value < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    func signed(_ value: Int) -> String { (value > 0 ? "+" : "") + text(value) }

    static func signed(_ value: Int) -> String { (value > 0 ? "+" : "") + "\(value)" }
}
