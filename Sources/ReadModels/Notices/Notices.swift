public import EventLog
internal import LMDB
internal import Loyalty
internal import LoyaltyCodec

/// Who gets which notices, and what they have read.
///
/// A notice to everybody is one row, however many there are: who gets it follows from when they registered, and who gets a shop's
/// from when they opened their first card there. Only reading one makes a row of an account's own.
///
/// Titles and texts stay sealed here. Reads are synchronous, take one snapshot each, and wait for nobody.
public final class Notices: Projection {
    public static let name = "notices"
    public static let schemaVersion = 2
    public static let eventTypes: Set<EventType> = [
        .accountRegistered, .cardOpened, .noticePosted, .noticeRead, .shopMuted, .shopUnmuted,
    ]
    public static let tables = [noticeTable, audienceTable, memberTable, holderTable, readTable, muteTable]
    public static let bytesPerChange = 128

    /// Notice → ``NoticeRow``.
    static let noticeTable = ModelTable("notices", key: [.notice]) { NoticeRow.text($0) }
    /// Shop, or 0 for everybody, and position → notice, 16 bytes, and its number in that row of notices, u64 from 1.
    static let audienceTable = ModelTable("audiences", key: [.shop, .position]) { row in
        row.count == 24 ? "\(NoticeID(row.bigEndian128(at: 0)).text), number \(row.littleEndian64(at: 16))" : nil
    }
    /// Account → ``NoticeMember``.
    static let memberTable = ModelTable("members", key: [.account]) { row in
        NoticeMember(row).map { "registered at position \($0.since), \($0.reads) read" }
    }
    /// Account and shop → where in the log the account opened its first card there, u64.
    static let holderTable = ModelTable("holders", key: [.account, .shop]) { row in
        row.count == 8 ? "first card at position \(row.littleEndian64(at: 0))" : nil
    }
    /// Account and notice → where in the log the account read it, u64.
    static let readTable = ModelTable("reads", key: [.account, .notice]) { row in
        row.count == 8 ? "read at position \(row.littleEndian64(at: 0))" : nil
    }

    /// Account and shop → ``MuteRow``. Only where the shop posted something meanwhile, or the mute lasts.
    static let muteTable = ModelTable("mutes", key: [.account, .shop]) { MuteRow.text($0) }

    let store: ModelStore
    let notices: Table
    let audiences: Table
    let members: Table
    let holders: Table
    let reads: Table
    let mutes: Table

    public init(_ store: ModelStore) throws(ReadModelError) {
        self.store = store
        notices = try store.table(Self.noticeTable)
        audiences = try store.table(Self.audienceTable)
        members = try store.table(Self.memberTable)
        holders = try store.table(Self.holderTable)
        reads = try store.table(Self.readTable)
        mutes = try store.table(Self.muteTable)
    }
}
