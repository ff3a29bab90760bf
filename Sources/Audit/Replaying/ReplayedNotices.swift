internal import EventLog
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Every notice, who may get it and who has read it in memory, folded from the log: what `Notices` must hold.
///
/// Kept plainer than the model on purpose: numbers and counts are made at the end.
struct ReplayedNotices: ReplayedModel {
    static var model: any Projection.Type { Notices.self }

    private(set) var notices: [PostedNotice] = []
    /// Position of registration.
    private(set) var members = KeyMap<UInt128, UInt64>()
    /// Position of the first card, by account and shop.
    private(set) var holders = KeyMap<PairKey, UInt64>()
    /// Position of reading, by account and notice.
    private(set) var reads = KeyMap<PairKey, UInt64>()
    private var known: Set<NoticeID> = []

    mutating func applyUndecoded(_ record: borrowing Record, at position: Position) -> Bool {
        guard let registered = RegisteredAccount(record) else { return false }
        members[registered.account] = position.rawValue
        return true
    }

    mutating func apply(_ fact: Fact) throws(AuditError) {
        switch fact.event {
        case .accountRegistered(let event): members[event.account.value] = fact.position
        case .cardOpened(let event): holders.update(PairKey(event.holder.value, event.shop.value), default: fact.position) { _ in }
        case .noticePosted(let event): try post(PostedNotice(event, of: fact))
        case .noticeRead(let event): reads.update(PairKey(event.account.value, event.notice.value), default: fact.position) { _ in }
        default: break
        }
    }

    private mutating func post(_ notice: PostedNotice) throws(AuditError) {
        guard known.insert(notice.id).inserted else {
            throw Self.refused("notice \(notice.id.text) is posted a second time.", at: notice.position)
        }
        notices.append(notice)
    }
}
