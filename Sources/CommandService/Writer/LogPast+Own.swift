package import EventLog
public import Loyalty
internal import LoyaltyCodec
public import ReadModels

/// Methods that decisions do not need. An account's list of changes and the answers to repeated requests use them.
///
/// Like all methods of the past, they leave out events after the past's position.
extension LogPast {
    /// A notice with its sealed texts.
    public func postedNotice(_ id: NoticeID) throws -> PostedNotice? {
        try newest([.noticePosted, .cardReminded], [Tag(kind: .notice, value: id.value)], limit: 1).first.flatMap(PostedNotice.init(of:))
    }

    /// The card in its state at this past's position. Returns `newest` without reading the log if the last change of `newest` is not after
    /// that position.
    func card(_ id: CardID, orNewest newest: Card?) throws -> Card? {
        if let newest, newest.id == id, newest.version <= (bound ?? source.head).rawValue { return newest }
        return try card(id)
    }

    /// The redemption that was requested last for a card. Only one event is read, however long the card's history is.
    package func newestRedemption(of card: CardID) throws -> RedemptionID? {
        let types: [EventType] = [.redemptionRequested, .milestoneRequested]
        return try newest(types, [Tag(kind: .card, value: card.value)], limit: 1).first.flatMap { Redemption(opening: $0)?.id }
    }

    /// The shops that an account has ever owned or worked for, each once.
    ///
    /// As in ``employers(of:)``, only the newest employments are read, up to a limit.
    package func workplaceIDs(of account: AccountID) throws -> [ShopID] {
        let tag = Tag(kind: .account, value: account.value)
        let hired = try newest([.staffAdded, .staffJoined], [tag], limit: Limits.hiringsReadMax)
        return Set(try shopIDs(of: account) + hired.compactMap { $0.event.shop }).sorted()
    }

    /// The accounts whose number, or the number that an operator requested for them, changed after a position.
    package func accountsWithPhoneChanges(after position: Position) throws -> [AccountID] {
        let through = bound ?? source.head
        guard position < through else { return [] }
        let query = Query.items([QueryItem(types: [.phoneChanged, .phoneChangeRequested, .phoneChangeEnded], tags: [])])
        return try source.events(matching: query, after: position, through: through).compactMap { event -> AccountID? in
            switch try LoyaltyCodec.decode(event).event {
            case .phoneChanged(let changed): changed.account
            case .phoneChangeRequested(let requested): requested.account
            case .phoneChangeEnded(let ended): ended.account
            default: nil
            }
        }
    }
}
