internal import LMDB
package import Loyalty
internal import LoyaltyCodec
internal import Projections

/// An open offer of a shop to another account, and the time at which it lapses.
package struct TransferDeadline: StoredRow, Hashable, Sendable {
    static let noun = "the row of an offered shop"

    package let dueAt: Instant
    package let invitation: UInt128
    package let position: UInt64

    package init(dueAt: Instant, invitation: UInt128, position: UInt64) {
        (self.dueAt, self.invitation, self.position) = (dueAt, invitation, position)
    }

    /// Due time as i64 in microseconds, invitation as u128, position as u64; little-endian.
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: dueAt.microseconds)
        row.append(littleEndian: invitation)
        row.append(littleEndian: position)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count == 32 else { return nil }
        self.init(dueAt: row.time(at: 0), invitation: row.littleEndian128(at: 8), position: row.littleEndian64(at: 24))
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let offer = TransferDeadline(row) else { return nil }
        return "\(InvitationID(offer.invitation).text) lapses at \(offer.dueAt.rfc3339), offered at position \(offer.position)"
    }
}

@available(*, noasync)
extension Deadlines {
    /// Adds the entry for the lapse of an offer, in place of an earlier one: older versions did not record lapses.
    func offer(_ event: TransferOffered, at position: UInt64, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        if let earlier = try transfer(of: event.shop, in: transaction) {
            try store.delete(due, DueEntry(dueAt: earlier.dueAt, .transfer(event.shop)).key, in: &transaction)
        }
        let offer = TransferDeadline(dueAt: event.expiresAt, invitation: event.invitation.value, position: position)
        try store.put(transfers, RowKey(event.shop.value), offer, in: &transaction)
        try put(DueEntry(dueAt: event.expiresAt, .transfer(event.shop)), at: position, in: &transaction)
        return 3
    }

    func endOffer(_ invitation: InvitationID, of shop: ShopID, in transaction: inout WriteTransaction) throws(ReadModelError) -> Int {
        guard let offer = try transfer(of: shop, in: transaction), offer.invitation == invitation.value else { return 0 }
        try store.delete(transfers, RowKey(shop.value), in: &transaction)
        try store.delete(due, DueEntry(dueAt: offer.dueAt, .transfer(shop)).key, in: &transaction)
        return 2
    }

    private func transfer(of shop: ShopID, in transaction: borrowing WriteTransaction) throws(ReadModelError) -> TransferDeadline? {
        try store.row(transfers, RowKey(shop.value), in: transaction)
    }
}
