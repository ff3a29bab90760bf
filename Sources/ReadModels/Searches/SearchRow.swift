internal import LMDB
package import Loyalty
internal import LoyaltyCodec
internal import Projections

/// A saved search that was not removed, with the log positions by which its news are found.
package struct SearchRow: StoredRow, Hashable, Sendable {
    static let noun = "the row of a saved search"

    package let account: UInt128
    package let position: UInt64
    package let savedAt: Instant
    package var seen, through: UInt64
    package var seenAt, alertedAt: Instant
    package var alerts: Bool
    package var terms: Sealed

    package init(_ event: SearchSaved, position: UInt64, at time: Instant) {
        (account, self.position, savedAt) = (event.account.value, position, time)
        (seen, through, seenAt, alertedAt) = (position, position, time, time)
        (alerts, terms) = (event.alerts, event.terms)
    }

    package mutating func edit(_ event: SearchEdited, position: UInt64, at time: Instant) {
        (alerts, terms, through, alertedAt) = (event.alerts, event.terms, position, time)
    }

    private static let termsAt = 65

    /// Replaces `row` by the row. All numbers are little-endian.
    ///
    /// ```
    ///  0 u128 account   16 u64 position   24 i64 saved at, µs      32 u64 seen     40 i64 seen at, µs
    /// 48 u64 through    56 i64 alerted at, µs   64 u8 1 for alerts   65 the sealed terms to the end
    /// ```
    package func encode(into row: inout [UInt8]) {
        row.removeAll(keepingCapacity: true)
        row.append(littleEndian: account)
        row.append(littleEndian: position)
        row.append(littleEndian: savedAt.microseconds)
        row.append(littleEndian: seen)
        row.append(littleEndian: seenAt.microseconds)
        row.append(littleEndian: through)
        row.append(littleEndian: alertedAt.microseconds)
        row.append(alerts ? 1 : 0)
        row.append(contentsOf: terms.bytes)
    }

    package init?(_ row: Span<UInt8>) {
        guard row.count > Self.termsAt, row[64] <= 1 else { return nil }
        (account, position, savedAt) = (row.littleEndian128(at: 0), row.littleEndian64(at: 16), row.time(at: 24))
        (seen, seenAt) = (row.littleEndian64(at: 32), row.time(at: 40))
        (through, alertedAt, alerts) = (row.littleEndian64(at: 48), row.time(at: 56), row[64] == 1)
        var bytes: [UInt8] = []
        bytes.append(copying: row.extracting(droppingFirst: Self.termsAt))
        terms = Sealed(bytes)
    }

    static func text(_ row: Span<UInt8>) -> String? {
        guard let search = SearchRow(row) else { return nil }
        let alerts = search.alerts ? "alerts from \(search.alertedAt.rfc3339) on, searched through \(search.through)" : "no alerts"
        return "of \(AccountID(search.account).text), seen at position \(search.seen), \(alerts), \(search.terms.bytes.count) bytes"
    }
}

extension SearchRow {
    func search(_ id: SearchID) -> SavedSearch {
        SavedSearch(
            id: id, account: AccountID(account), terms: terms, alerts: alerts, savedAt: savedAt, seen: seen, seenAt: seenAt,
            through: through, alertedAt: alertedAt)
    }

    /// The key of the entry by which a due alert is found; nil without alerts.
    func due(_ id: UInt128) -> RowKey? {
        alerts ? Self.key(alertedAt.advanced(bySeconds: Loyalty.Limits.alertPauseSeconds), id) : nil
    }

    /// Moments before 1970 are stored as 1970.
    static func key(_ due: Instant, _ id: UInt128) -> RowKey { RowKey(UInt128(UInt64(max(0, due.microseconds))), and: id) }
}
