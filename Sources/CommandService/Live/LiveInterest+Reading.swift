import EventLog
import Loyalty
import LoyaltyCodec

/// The same interest as questions to the log.
extension LiveInterest {
    /// What happens to a card; tagged with its holder.
    private static let cardTypes: [EventType] = [
        .cardOpened, .cardStamped, .cardDiscarded, .cardAdjusted, .redemptionRequested, .cardRedeemed, .redemptionReversed,
    ]
    /// What those who work at a shop see; tagged with the shop.
    private static let shopTypes: [EventType] = [.codeIssued, .codeDestroyed, .cardStamped, .cardRedeemed, .redemptionReversed]
    /// What changes an interest; tagged with the account.
    private static let memberTypes: [EventType] = [
        .accountRegistered, .shopOpened, .staffAdded, .staffRemoved, .staffJoined, .employmentEnded, .cardOpened, .shopMuted,
        .shopUnmuted,
    ]
    /// Whatever a stream or its interest can need.
    static let types = Array(Set(cardTypes + shopTypes + memberTypes + [.noticePosted, .sessionEnded]))

    /// An account's interest as of a position.
    static func load(of account: AccountID, from log: EventLog, through position: Position) throws -> LiveInterest {
        var interest = LiveInterest(of: account)
        let item = QueryItem(types: memberTypes, tags: [Tag(kind: .account, value: account.value)])
        for event in try log.events(matching: .items([item]), through: position) {
            interest.note(try LoyaltyCodec.decode(event))
        }
        return interest
    }

    /// What the streams show of a stretch of the log, through the tag index: a page, and how far it goes.
    func read(_ log: EventLog, after: Position, through: Position, limit: Int) throws -> (facts: [Fact], covered: Position) {
        var found: Set<Position> = []
        for start in stride(from: 0, to: items.count, by: LogLimits.queryItemsMax) {
            let query = Query.items(Array(items[start..<min(start + LogLimits.queryItemsMax, items.count)]))
            // The first of all are among the first of each.
            found.formUnion(try log.positions(matching: query, after: after, through: through, backwards: false, limit: limit))
        }
        let page = found.sorted().prefix(limit)
        let facts = try page.compactMap { try log.event(at: $0) }.map { try LoyaltyCodec.decode($0) }
        return (facts.filter(wants), page.count < limit ? through : page.last ?? through)
    }

    /// One question for the account, one for each workplace, one for notices to all and to each shop's customers.
    private var items: [QueryItem] {
        [QueryItem(types: Self.cardTypes, tags: [Tag(kind: .account, value: account.value)])]
            + workplaces.keys.sorted().map { QueryItem(types: Self.shopTypes, tags: [Tag(kind: .shop, value: $0.value)]) }
            + ([NoticeAudience.all] + shops.keys.sorted().map { .shop($0) }).map {
                QueryItem(types: [.noticePosted], tags: [Tag(kind: .shop, value: $0.tagValue)])
            }
    }
}
