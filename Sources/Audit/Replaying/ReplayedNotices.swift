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
    private(set) var members: [UInt128: UInt64] = [:]
    /// Position of the first card, by account and shop.
    private(set) var holders: [Pair: UInt64] = [:]
    /// Position of reading, by account and notice.
    private(set) var reads: [Pair: UInt64] = [:]
    private var known: Set<NoticeID> = []

    /// Two things, in the order of their key.
    struct Pair: Hashable, Comparable, Sendable {
        let first: UInt128
        let second: UInt128

        static func < (left: Pair, right: Pair) -> Bool {
            left.first == right.first ? left.second < right.second : left.first < right.first
        }
    }

    mutating func apply(_ fact: Fact) throws(AuditError) {
        switch fact.event {
        case .accountRegistered(let event): members[event.account.value] = fact.position
        case .cardOpened(let event): Self.note(&holders, Pair(first: event.holder.value, second: event.shop.value), fact)
        case .noticePosted(let event): try post(PostedNotice(event, of: fact))
        case .noticeRead(let event): Self.note(&reads, Pair(first: event.account.value, second: event.notice.value), fact)
        default: break
        }
    }

    /// Static, since a method would hold a copy of all of this, and each change would copy the dictionary.
    private static func note(_ positions: inout [Pair: UInt64], _ pair: Pair, _ fact: Fact) {
        if positions[pair] == nil { positions[pair] = fact.position }
    }

    private mutating func post(_ notice: PostedNotice) throws(AuditError) {
        guard known.insert(notice.id).inserted else {
            throw Self.refused("notice \(notice.id.text) is posted a second time.", at: notice.position)
        }
        notices.append(notice)
    }
}
