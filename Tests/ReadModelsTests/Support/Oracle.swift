import Loyalty
import World

/// The required answers of the read models, computed from the facts by full scans, without rows and in the log's order.
struct Oracle {
    let facts: [Fact]

    init(_ facts: some Sequence<Fact>) {
        self.facts = Array(facts)
    }

    var cards: [CardID: Card] {
        var cards: [CardID: Card] = [:]
        for fact in facts {
            guard let id = fact.event.card else { continue }
            if let card = Card(opening: fact) { cards[id] = card } else { cards[id]?.evolve(fact) }
        }
        return cards
    }

    func cards(of account: AccountID, _ statuses: Set<CardStatus> = Set(CardStatus.allCases)) -> [Card] {
        cards.values.filter { $0.holder == account && statuses.contains($0.status) }
            .sorted { $0.history[0].position > $1.history[0].position }
    }

    /// The reviews and replies that were taken down.
    var removed: Set<ReviewID> {
        Set(
            facts.compactMap {
                guard case .reviewRemoved(let event) = $0.event else { return nil }
                return event.review
            })
    }

    /// Returns each account's latest rating of a shop among those not taken down.
    func ratings(of shop: ShopID) -> [AccountID: Int] {
        var ratings: [AccountID: Int] = [:]
        let removed = removed
        for fact in facts {
            guard case .reviewPosted(let event) = fact.event, event.shop == shop, let rating = event.rating else { continue }
            if removed.contains(event.review) { continue }
            ratings[event.author] = rating
        }
        return ratings
    }

    /// Returns every account that ever opened a card at a shop.
    func holders(of shop: ShopID) -> Set<AccountID> {
        Set(
            facts.compactMap {
                switch $0.event {
                case .cardOpened(let event) where event.shop == shop: event.holder
                case .waitingCardTaken(let event) where event.shop == shop: event.holder
                default: nil
                }
            })
    }

    /// Returns a shop's reviews, newest first.
    func reviews(of shop: ShopID) -> [(fact: Fact, event: ReviewPosted)] {
        facts.reversed().compactMap {
            guard case .reviewPosted(let event) = $0.event, event.shop == shop else { return nil }
            return ($0, event)
        }
    }

    /// Returns true if the review itself or any reply below it has not been taken down.
    func isShown(_ id: ReviewID, _ removed: Set<ReviewID>) -> Bool {
        !removed.contains(id) || replies(to: id).contains { isShown($0.event.reply, removed) }
    }

    /// All notices ever posted.
    var notices: [NoticeID] {
        facts.compactMap {
            switch $0.event {
            case .noticePosted(let event): event.notice
            case .cardReminded(let event): event.notice
            default: nil
            }
        }
    }

    /// Returns the notices that an account receives, newest first, each with whether the account has read it.
    func notices(of account: AccountID) -> [(id: NoticeID, isRead: Bool)] {
        guard let since = facts.first(where: { $0.event.registered == account })?.position else { return [] }
        return facts.reversed().compactMap { fact in
            if case .cardReminded(let event) = fact.event {
                guard event.holder == account, !hadMuted(event.shop, account, at: fact.position) else { return nil }
                return (event.notice, hasRead(event.notice, account))
            }
            guard case .noticePosted(let event) = fact.event, fact.position > since else { return nil }
            if let shop = event.audience.shop {
                guard hadCard(account, at: shop, before: fact.position), !hadMuted(shop, account, at: fact.position) else { return nil }
            }
            if let campaign = event.audience.campaign, !held(account, campaign, before: fact.position) { return nil }
            return (event.notice, hasRead(event.notice, account))
        }
    }

    private func hadCard(_ account: AccountID, at shop: ShopID, before position: UInt64) -> Bool {
        facts.prefix { $0.position < position }.contains { fact in
            switch fact.event {
            case .cardOpened(let event): event.shop == shop && event.holder == account
            case .waitingCardTaken(let event): event.shop == shop && event.holder == account
            default: false
            }
        }
    }

    /// Whether the account held a card of the campaign that was collecting or full.
    private func held(_ account: AccountID, _ campaign: CampaignID, before position: UInt64) -> Bool {
        let past = World(facts.prefix { $0.position < position })
        return past.cards.values.contains {
            $0.holder == account && $0.campaign == campaign && ($0.status == .collecting || $0.status == .full)
        }
    }

    private func hadMuted(_ shop: ShopID, _ account: AccountID, at position: UInt64) -> Bool {
        facts.prefix { $0.position < position }.reduce(false) { isMuted, fact in
            switch fact.event {
            case .shopMuted(let event) where event.shop == shop && event.account == account: true
            case .shopUnmuted(let event) where event.shop == shop && event.account == account: false
            default: isMuted
            }
        }
    }

    func hasRead(_ notice: NoticeID, _ account: AccountID) -> Bool {
        facts.contains { fact in
            guard case .noticeRead(let event) = fact.event else { return false }
            return event.notice == notice && event.account == account
        }
    }

    /// Returns the replies to a review or reply, oldest first.
    func replies(to parent: ReviewID) -> [(fact: Fact, event: ReplyPosted)] {
        facts.compactMap {
            guard case .replyPosted(let event) = $0.event, event.parent == parent else { return nil }
            return ($0, event)
        }
    }
}

extension LoyaltyEvent {
    fileprivate var registered: AccountID? {
        guard case .accountRegistered(let event) = self else { return nil }
        return event.account
    }
}
