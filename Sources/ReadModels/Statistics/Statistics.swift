public import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec

/// What happened at each shop, by quarters of an hour, cards and members of staff: what ``ShopReport`` is made of.
///
/// Kept as it comes in, whatever the order of times: an import adds to days that are over. Everything is a sum, so that the rows are
/// the same however the events were batched.
public final class Statistics: Projection {
    public static let name = "statistics"
    public static let schemaVersion = 2
    public static let eventTypes: Set<EventType> = [
        .codeIssued, .codeDestroyed, .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .cardRedeemed, .redemptionReversed,
    ]
    public static let tables = [cardTable, staffTable, firstTable, codeTable, roomTable]
    public static let bytesPerChange = 160
    public static let restSeconds = ReadModelLimits.reportRestSeconds

    /// Shop, quarter and card → ``CardActivity``.
    static let cardTable = ModelTable("cards", key: [.shop, .quarter, .card]) { row in
        CardActivity(row).map {
            "\($0.stamps) stamps, \($0.opened) opened, \($0.filled) filled, \($0.redeemed) redeemed, \($0.reversed) reversed"
        }
    }
    /// Shop, quarter and member of staff → ``StaffActivity``.
    static let staffTable = ModelTable("staff", key: [.shop, .quarter, .account]) { row in
        StaffActivity(row).map { "\($0.codes) codes, \($0.stamps) stamps, \($0.redeemed) redeemed, \($0.reversed) reversed" }
    }
    /// Shop and account → the earliest quarter in which it was active there, as a key's.
    static let firstTable = ModelTable("firsts", key: [.shop, .account]) { row in
        row.count == 8 ? Quarter(key: row.littleEndian64(at: 0)).start.rfc3339 : nil
    }
    /// Code → ``OpenCode``; none once it is used up or destroyed.
    static let codeTable = ModelTable("codes", key: [.code]) { row in
        OpenCode(row).map { "\($0.stamps) stamps by \($0.issuer.text)" }
    }
    /// Card → stamps until it is full, u32; none once it is full or thrown away.
    static let roomTable = ModelTable("room", key: [.card]) { row in
        row.count == 4 ? "room for \(row.littleEndian32(at: 0))" : nil
    }

    let store: ModelStore
    let cards: Table
    let staff: Table
    let firsts: Table
    let codes: Table
    let room: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        cards = try store.table(Self.cardTable)
        staff = try store.table(Self.staffTable)
        firsts = try store.table(Self.firstTable)
        codes = try store.table(Self.codeTable)
        room = try store.table(Self.roomTable)
    }
}
