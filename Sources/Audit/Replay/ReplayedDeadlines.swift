internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// The expected content of `Deadlines`, folded from the log in memory, which holds only what may still become due.
struct ReplayedDeadlines: ReplayedModel {
    static var model: any Projection.Type { Deadlines.self }

    private var notices: [UInt128: NoticeDeadline] = [:]
    /// Cards that may still expire.
    private var cards: [UInt128: EndingCard] = [:]
    private var closings: [UInt128: Instant] = [:]
    /// The newest open offer of each shop.
    private var offers: [UInt128: ShopOffer] = [:]

    private struct ShopOffer {
        let invitation: InvitationID
        let lapsesAt: Instant
        let made: UInt64
    }

    /// A card that will expire.
    private struct EndingCard {
        var holder: UInt128
        let shop: UInt128
        let openedAt: Instant
        let expiresAt: Instant
        /// In the far future if no date is set.
        var redeemUntil: Instant
        let opened: UInt64
        var newest: UInt64
        /// The recorded reminders' days before expiry.
        var reminders: [Int] = []
        var isRedeemed = false
    }

    mutating func apply(_ batch: borrowing ReplayBatch) throws(AuditError) {
        for event in batch.events {
            switch event.kind {
            case .decoded: try apply(batch.facts[event.place])
            case .discarded: discard(event.id)
            case .stamped, .issued, .opened, .registered: break
            }
        }
    }

    private mutating func apply(_ fact: Fact) throws(AuditError) {
        switch fact.event {
        case .noticeScheduled(let event):
            notices[event.notice.value] = NoticeDeadline(dueAt: event.publishAt, author: event.author.value, position: fact.position)
        case .noticePosted(let event) where event.dueAt != nil: try end(event.notice, at: fact.position)
        case .noticeWithdrawn(let event): try end(event.notice, at: fact.position)
        case .noticeLapsed(let event): try end(event.notice, at: fact.position)
        case .transferOffered(let event):
            offers[event.shop.value] = ShopOffer(invitation: event.invitation, lapsesAt: event.expiresAt, made: fact.position)
        case .transferLapsed(let event): end(event.invitation, of: event.shop)
        case .invitationEnded(let event): end(event.invitation, of: event.shop)
        case .shopTransferred(let event): end(event.invitation, of: event.shop)
        case .shopClosed(let event): close(event, at: fact.position)
        case .accountErased(let event): cards = cards.filter { $0.value.holder != event.account.value }
        default: if let card = fact.event.card { apply(fact, to: card.value) }
        }
    }

    private mutating func apply(_ fact: Fact, to card: UInt128) {
        switch fact.event {
        case .cardOpened(let event):
            guard let expiresAt = event.terms.expiresAt else { return }
            cards[card] = EndingCard(
                holder: event.holder.value, shop: event.campaignShop.value, openedAt: fact.time, expiresAt: expiresAt,
                redeemUntil: [event.terms.redeemUntil, closings[event.campaignShop.value]].compactMap(\.self).min()
                    ?? Instant(microseconds: .max),
                opened: fact.position, newest: fact.position)
        case .cardReminded(let event): change(card, fact) { $0.reminders.append(event.daysLeft) }
        case .cardRedeemed: change(card, fact) { $0.isRedeemed = true }
        case .redemptionReversed: change(card, fact) { $0.isRedeemed = false }
        case .waitingCardTaken(let event) where event.from != nil:
            if event.stamps == 0 { return discard(card) }
            change(card, fact) { $0.holder = event.holder.value }
        case .cardDiscarded: discard(card)
        case .cardExpired: cards[card] = nil
        default: break
        }
    }

    private mutating func change(_ card: UInt128, _ fact: Fact, _ body: (inout EndingCard) -> Void) {
        guard var changed = cards[card] else { return }
        body(&changed)
        changed.newest = fact.position
        cards[card] = changed
    }

    private mutating func close(_ event: ShopClosed, at position: UInt64) {
        closings[event.shop.value] = event.redeemUntil
        for (id, card) in cards where card.shop == event.shop.value {
            cards[id]?.redeemUntil = min(card.redeemUntil, event.redeemUntil)
            cards[id]?.newest = position
        }
    }

    /// A redeemed card stays, because its redemption may still be reversed.
    private mutating func discard(_ card: UInt128) { if cards[card]?.isRedeemed == false { cards[card] = nil } }

    /// The invitation may also be an offer of work.
    private mutating func end(_ invitation: InvitationID, of shop: ShopID) {
        guard offers[shop.value]?.invitation == invitation else { return }
        offers[shop.value] = nil
    }

    private mutating func end(_ notice: NoticeID, at position: UInt64) throws(AuditError) {
        guard notices.removeValue(forKey: notice.value) != nil else {
            throw .refused("notice \(notice.text) was not scheduled, or has ended before.", at: position)
        }
    }
}

extension ReplayedDeadlines {
    func tables(_ cards: CardOrders) -> [CanonicalTable] {
        [
            dueTable, noticeTable, scheduledTable, cardTable, cardTable("holders", by: \.holder), cardTable("shops", by: \.shop),
            closingTable, transferTable,
        ]
    }

    /// Sorted by the numbers in the keys, which is also the order of their bytes.
    private var dueTable: CanonicalTable {
        var entries = notices.map { (entry: DueEntry(dueAt: $1.dueAt, .notice(NoticeID($0))), position: $1.position) }
        for (id, card) in cards where !card.isRedeemed {
            entries.append((DueEntry(dueAt: Self.next(of: card), .card(CardID(id))), card.newest))
        }
        for (shop, offer) in offers { entries.append((DueEntry(dueAt: offer.lapsesAt, .transfer(ShopID(shop))), offer.made)) }
        entries.sort {
            let (one, other) = ($0.entry, $1.entry)
            return (one.dueAt, one.subject.kind, one.subject.id) < (other.dueAt, other.subject.kind, other.subject.id)
        }
        return CanonicalTable("due", entries) { due, row in row.set(due.entry.key, number: due.position) }
    }

    /// The next due time: a reminder fourteen or two days before expiry, or the expiry itself. A reminder is skipped if it or a later one
    /// was recorded, or if the card was opened later or can no longer be redeemed then.
    private static func next(of card: EndingCard) -> Instant {
        for days in [14, 2] where !card.reminders.contains(where: { $0 <= days }) {
            let moment = card.expiresAt.advanced(bySeconds: -Int64(days) * 86_400)
            if moment > card.openedAt, moment < card.redeemUntil { return moment }
        }
        return card.expiresAt
    }

    private var noticeTable: CanonicalTable {
        CanonicalTable("notices", notices.sorted { $0.key < $1.key }) { notice, row in
            row.key = RowKey(notice.key)
            notice.value.encode(into: &row.value)
        }
    }

    private var scheduledTable: CanonicalTable {
        let entries = notices.sorted { ($0.value.author, $0.value.position) < ($1.value.author, $1.value.position) }
        return CanonicalTable("scheduled", entries) { notice, row in
            row.set(RowKey(notice.value.author, position: notice.value.position), id: notice.key)
        }
    }

    private var cardTable: CanonicalTable {
        CanonicalTable("cards", cards.sorted { $0.key < $1.key }) { entry, row in
            let card = entry.value
            let redeemUntil = card.redeemUntil.microseconds == .max ? nil : card.redeemUntil
            var deadline = CardDeadline(
                expiresAt: card.expiresAt, redeemUntil: redeemUntil, openedAt: card.openedAt, holder: card.holder, shop: card.shop,
                opened: card.opened)
            (deadline.position, deadline.isHeld, deadline.reminded) = (card.newest, !card.isRedeemed, card.reminders.last ?? 0)
            row.key = RowKey(entry.key)
            deadline.encode(into: &row.value)
        }
    }

    /// The cards by holder or by shop, each from the oldest to the newest.
    private func cardTable(_ name: String, by owner: (EndingCard) -> UInt128) -> CanonicalTable {
        let entries = cards.map { (owner: owner($1), opened: $1.opened, card: $0) }.sorted { ($0.owner, $0.opened) < ($1.owner, $1.opened) }
        return CanonicalTable(name, entries) { entry, row in row.set(RowKey(entry.owner, position: entry.opened), id: entry.card) }
    }

    private var closingTable: CanonicalTable {
        CanonicalTable("closings", closings.sorted { $0.key < $1.key }) { closing, row in
            row.set(RowKey(closing.key), number: UInt64(bitPattern: closing.value.microseconds))
        }
    }

    private var transferTable: CanonicalTable {
        CanonicalTable("transfers", offers.sorted { $0.key < $1.key }) { entry, row in
            let offer = entry.value
            row.key = RowKey(entry.key)
            TransferDeadline(dueAt: offer.lapsesAt, invitation: offer.invitation.value, position: offer.made).encode(into: &row.value)
        }
    }
}
