internal import EventLog
public import Loyalty
internal import LoyaltyCodec
public import ReadModels

/// Methods for an account's list of changes and for answers to repeated requests. All leave out events after the past's position.
extension LogPast {
    /// A notice with its sealed texts.
    public func postedNotice(_ id: NoticeID) throws -> PostedNotice? {
        let types: [EventType] = [.noticePosted, .cardReminded, .searchAlerted]
        return try newest(types, [Tag(kind: .notice, value: id.value)], limit: 1).first.flatMap(PostedNotice.init(of:))
    }

    func card(_ id: CardID, orNewest newest: Card?) throws -> Card? {
        if let newest, newest.id == id, newest.version <= (bound ?? source.head).rawValue { return newest }
        return try card(id)
    }

    /// The newest requested redemption of a card, by a read of one event.
    package func newestRedemption(of card: CardID) throws -> RedemptionID? {
        let types: [EventType] = [.redemptionRequested, .milestoneRequested]
        return try newest(types, [Tag(kind: .card, value: card.value)], limit: 1).first.flatMap { Redemption(opening: $0)?.id }
    }

    /// The shops that an account has ever owned or worked for, of its newest employments only.
    package func workplaceIDs(of account: AccountID) throws -> [ShopID] {
        let tag = Tag(kind: .account, value: account.value)
        let hired = try newest([.staffAdded, .staffJoined], [tag], limit: Limits.hiringsReadMax)
        return Set(try shopIDs(of: account) + hired.compactMap { $0.event.shop }).sorted()
    }

    /// The sealed reason for closing a shop; nil if it is open or the owner gave none.
    package func closingReason(of shop: ShopID) throws -> Sealed? {
        try facts([.shopClosed], Tag(kind: .shop, value: shop.value)).compactMap { fact -> Sealed? in
            guard case .shopClosed(let event) = fact.event else { return nil }
            return event.reason
        }.first
    }

    /// Whether the log has destroyed the data key of an account or of a ``ShopID/keyHolder``.
    package func isErased(holder: AccountID) throws -> Bool {
        if try wasErased(holder) { return true }
        let closings = try facts([.shopClosed], Tag(kind: .shop, value: holder.value))
        if closings.contains(where: { if case .shopClosed(let event) = $0.event { event.erasesContact } else { false } }) { return true }
        // An erasure of an older release did not close the shops.
        return try shop(ShopID(holder.value)).map { try wasErased($0.owner) } ?? false
    }

    /// The accounts that were erased, and those whose number or requested number changed, after a position. One reading finds both, because
    /// a search without tags reads every event.
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
