internal import EventLog
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

    /// The reason that the owner gave for closing a shop, sealed under the shop's key; nil if the shop is open, or if the owner gave none.
    package func closingReason(of shop: ShopID) throws -> Sealed? {
        try facts([.shopClosed], Tag(kind: .shop, value: shop.value)).compactMap { fact -> Sealed? in
            guard case .shopClosed(let event) = fact.event else { return nil }
            return event.reason
        }.first
    }

    /// The accounts that were erased after a position, and the accounts whose number, or the number that an operator requested for them,
    /// changed after it; both in the order of the log. One reading finds both, because a search without tags reads every event.
    func erasedAndMoved(after position: Position) throws -> (erased: [AccountID], moved: [AccountID]) {
        let types: [EventType] = [.accountErased, .phoneChanged, .phoneChangeRequested, .phoneChangeEnded]
        let query = Query.items([QueryItem(types: types, tags: [])])
        var (erased, moved): ([AccountID], [AccountID]) = ([], [])
        for found in try source.events(matching: query, after: position, through: bound ?? source.head) {
            switch try LoyaltyCodec.decode(found).event {
            case .accountErased(let event): erased.append(event.account)
            case .phoneChanged(let event): moved.append(event.account)
            case .phoneChangeRequested(let event): moved.append(event.account)
            case .phoneChangeEnded(let event): moved.append(event.account)
            default: break
            }
        }
        return (erased, moved)
    }
}
