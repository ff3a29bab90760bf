internal import LMDB
public import Loyalty

/// A quarter of an hour in which a customer's cards at a shop were stamped. Two cups at once are one visit and two stamps.
public struct ShopVisit: Hashable, Sendable {
    public let account: AccountID
    public let quarter: Quarter
    public let stamps: Int

    package init(account: AccountID, quarter: Quarter, stamps: Int) {
        (self.account, self.quarter, self.stamps) = (account, quarter, stamps)
    }

    /// From a row of ``Journeys``: shop, account and quarter; stamps. Nil when the bytes are not one.
    package init?(key: Span<UInt8>, _ row: Span<UInt8>) {
        guard key.count == 40, row.count == 4 else { return nil }
        let quarter = UInt64(truncatingIfNeeded: key.bigEndian128(at: 24))
        self.init(
            account: AccountID(key.bigEndian128(at: 16)), quarter: Quarter(key: quarter), stamps: Int(row.littleEndian32(at: 0)))
    }
}
