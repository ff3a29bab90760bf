public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec
import ReadModels

/// A page of an account's changed things, each listed once.
public struct OwnChanges: Sendable {
    /// A thing of an account that clients keep a copy of.
    public enum Thing: Hashable, Sendable {
        case account
        case card(CardID)
        case redemption(RedemptionID)
        case notice(NoticeID)
        case favorite(CampaignID)
        case session(SessionID)
        case invitation(InvitationID)
        case employment(ShopID)
        case mute(ShopID)
        case search(SearchID)
    }

    /// A changed thing, with the position of its last change within the page.
    public struct Item: Hashable, Sendable {
        public let thing: Thing
        public let position: Position
    }

    /// In the order of their last changes.
    public let items: [Item]
    /// Things MUST be shown in their state at this position, so that the next page begins with later changes.
    public let position: Position
    public let hasMore: Bool
}

extension GreenTea {
    /// The things of an account that changed after a position, within a limited amount of work.
    ///
    /// Only the model ``ReadModels/notices`` knows the receivers of notices, so a page never goes beyond its position.
    ///
    /// - Throws: `.failed` if the log cannot be read.
    public func changes(of account: AccountID, after: Position) throws(ServiceError) -> OwnChanges {
        do {
            let shown = min(log.head, models.position(of: Notices.name))
            guard after < shown else { return OwnChanges(items: [], position: after, hasMore: false) }
            var window = ChangeWindow(after: after, through: shown)
            let own = try read(
                [
                    QueryItem(types: [], tags: [Tag(kind: .account, value: account.value)]),
                    QueryItem(types: [.shopTransferred], tags: [Tag(kind: .formerOwner, value: account.value)]),
                ], &window)
            let placed = try read(
                LogPast(log, through: shown).workplaceIDs(of: account).map {
                    QueryItem(types: [.shopEdited, .shopClosed], tags: [Tag(kind: .shop, value: $0.value)])
                }, &window)
            let posted = try read(
                models.notices.sources(of: account).map {
                    QueryItem(types: [.noticePosted], tags: [Tag(kind: .shop, value: $0)])
                }, &window)
            // Now `window.through` is the end of the page.
            let past = LogPast(log, through: window.through)
            var last: [OwnChanges.Thing: UInt64] = [:]
            func note(_ things: [OwnChanges.Thing], _ fact: Fact) {
                for thing in things { last[thing] = max(fact.position, last[thing] ?? 0) }
            }
            var codes = PageOfRedemptions(log)
            for fact in own where fact.position <= window.through.rawValue { note(try things(in: fact, of: account, &codes), fact) }
            for fact in placed where fact.position <= window.through.rawValue { note(try workplace(in: fact, of: account, past), fact) }
            for fact in posted where fact.position <= window.through.rawValue {
                guard case .noticePosted(let event) = fact.event, try models.notices.isReceived(event.notice, by: account) else { continue }
                note([.notice(event.notice)], fact)
            }
            let items = last.map { OwnChanges.Item(thing: $0.key, position: Position($0.value)) }
            return OwnChanges(
                items: items.sorted { $0.position == $1.position ? $0.thing.order < $1.thing.order : $0.position < $1.position },
                position: window.through, hasMore: window.through < shown)
        } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// If there are more events, `window` ends with the last one read.
    private func read(_ items: [QueryItem], _ window: inout ChangeWindow) throws -> [Fact] {
        var found: [Fact] = []
        for query in Query.all(of: items) {
            let events = try log.events(matching: query, after: window.after, through: window.through, limit: Limits.changesReadMax)
            found += try events.map { try LoyaltyCodec.decode($0) }
            guard found.count >= Limits.changesReadMax else { continue }
            // The first events of all queries together are among the first of each.
            found = Array(found.sorted { $0.position < $1.position }.prefix(Limits.changesReadMax))
            if let last = found.last { window.through = min(window.through, Position(last.position)) }
        }
        return found
    }

    /// Empty unless the account works for the shop at the page's end. After leaving, only that event is a change.
    private func workplace(in fact: Fact, of account: AccountID, _ past: LogPast<EventLog>) throws -> [OwnChanges.Thing] {
        guard let id = fact.event.shop, let shop = try past.shop(id), shop.employs(account) else { return [] }
        // A closing may change the oldest open shop, which the account's answer names.
        if case .shopClosed = fact.event, shop.owner == account { return [.account, .employment(id)] }
        return [.employment(id)]
    }

    private func things(in fact: Fact, of account: AccountID, _ codes: inout PageOfRedemptions<EventLog>) throws -> [OwnChanges.Thing] {
        if fact.event.holder == account, let card = fact.event.card { return try things(of: card, in: fact, &codes) }
        switch fact.event {
        case .noticeRead(let event): return [.notice(event.notice)]
        case .favoriteAdded(let event): return [.favorite(event.campaign)]
        case .favoriteRemoved(let event): return [.favorite(event.campaign)]
        case .sessionStarted(let event): return [.session(event.session)]
        case .sessionRefreshed(let event): return [.session(event.session)]
        case .sessionEnded(let event): return [.session(event.session)]
        case .staffInvited(let event): return [.invitation(event.invitation)]
        case .waitingOfferTaken(let event): return [.invitation(event.invitation)]
        case .staffLabeled(let event): return [.employment(event.shop)]
        case .transferOffered(let event): return [.invitation(event.invitation)]
        case .transferLapsed(let event): return [.invitation(event.invitation)]
        case .invitationEnded(let event): return [.invitation(event.invitation)]
        case .staffJoined(let event): return [.invitation(event.invitation), .employment(event.shop)]
        case .roleChanged(let event): return [.employment(event.shop)] + (event.invitation.map { [.invitation($0)] } ?? [])
        case .staffAdded(let event): return [.employment(event.shop)]
        case .staffRemoved(let event): return [.employment(event.shop)]
        case .employmentEnded(let event): return [.employment(event.shop)]
        case .shopOpened(let event): return [.account, .employment(event.shop)]
        case .shopTransferred(let event):
            return [.account, .employment(event.shop)] + (event.account == account ? [.invitation(event.invitation)] : [])
        case .shopMuted(let event): return [.mute(event.shop)]
        case .shopUnmuted(let event): return [.mute(event.shop)]
        case .searchSaved(let event): return [.search(event.search)]
        case .searchEdited(let event): return [.search(event.search)]
        case .searchSeen(let event): return [.search(event.search)]
        case .searchRemoved(let event): return [.search(event.search)]
        case .searchAlerted(let event): return [.notice(event.notice)]
        case .accountRegistered, .profileEdited, .passwordSet, .passwordRemoved, .phoneChanged, .phoneChangeRequested, .phoneChangeEnded:
            return [.account]
        default: return []
        }
    }

    private func things(of card: CardID, in fact: Fact, _ codes: inout PageOfRedemptions<EventLog>) throws -> [OwnChanges.Thing] {
        switch fact.event {
        case .cardOpened, .cardStamped, .waitingCardTaken: return [.card(card)]
        case .cardRedeemed(let event): return [.card(card), .redemption(event.redemption)]
        case .redemptionReversed(let event): return [.card(card), .redemption(event.redemption)]
        case .milestoneRedeemed(let event): return [.card(card), .redemption(event.redemption)]
        case .milestoneReversed(let event): return [.card(card), .redemption(event.redemption)]
        case .cardReminded(let event):
            // A muted shop sends no reminders.
            let isReceived = try models.notices.isReceived(event.notice, by: event.holder)
            return [.card(card)] + (isReceived ? [.notice(event.notice)] : [])
        default:
            // These events invalidate the card's newest code.
            var redemptions = [try codes.replaced(by: fact, of: card)].compactMap(\.self)
            if let requested = Redemption(opening: fact) { redemptions.append(requested.id) }
            return [.card(card)] + redemptions.map { .redemption($0) }
        }
    }
}

/// The range of a page, shortened to the events that were read.
private struct ChangeWindow {
    let after: Position
    var through: Position
}

extension OwnChanges.Thing {
    /// Arbitrary but stable.
    fileprivate var order: (Int, UInt128) {
        switch self {
        case .account: (0, 0)
        case .card(let id): (1, id.value)
        case .redemption(let id): (2, id.value)
        case .notice(let id): (3, id.value)
        case .favorite(let id): (4, id.value)
        case .session(let id): (5, id.value)
        case .invitation(let id): (6, id.value)
        case .employment(let id): (7, id.value)
        case .mute(let id): (8, id.value)
        case .search(let id): (9, id.value)
        }
    }
}
