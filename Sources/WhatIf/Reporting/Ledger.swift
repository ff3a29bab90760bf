internal import Loyalty

/// Figures of one course of history, by shop and month, and by holder.
struct Ledger {
    /// A shop in a month of its time zone.
    struct Row: Hashable {
        let shop: ShopID
        let month: Month
    }

    private(set) var rows: [Row: Tally] = [:]
    private(set) var holders: [AccountID: HolderTally] = [:]
    /// Whether figures count already: what happened before the changed rules begin is in no report.
    var isOpen = false

    private let prices: Prices
    private var clock: ShopClock

    init(_ prices: Prices, _ rules: ProgrammeRules) {
        self.prices = prices
        clock = ShopClock(rules)
    }

    mutating func add(_ tally: Tally, holder: AccountID, campaign: CampaignID, shop: ShopID, at time: Instant) {
        guard isOpen, tally != Tally() else { return }
        var tally = tally
        tally.cents = tally.redeemed * prices.cents(of: campaign)
        rows[Row(shop: shop, month: clock.month(time, at: shop)), default: Tally()].add(tally)
        holders[holder, default: HolderTally()].add(tally)
    }
}
