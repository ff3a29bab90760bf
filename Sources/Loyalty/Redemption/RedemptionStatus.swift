/// Where a redemption stands, as its holder sees it.
public enum RedemptionStatus: UInt8, Hashable, Sendable, CaseIterable {
    case pending = 1
    case redeemed = 2
    case expired = 3
    case replaced = 4
    case reversed = 5
}
