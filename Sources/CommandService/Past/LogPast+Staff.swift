public import EventLog
public import Loyalty
import LoyaltyCodec

/// Offers, employments and mutes, as the log tells them.
extension LogPast {
    /// An offer and what became of it.
    public func invitation(_ id: InvitationID) throws -> Invitation? {
        let types: [EventType] = [.staffInvited, .invitationEnded, .staffJoined]
        return Invitation.fold(try facts(types, Tag(kind: .invitation, value: id.value)))
    }

    /// Offers that an account got, newest first, whatever became of them: a page of bounded work.
    ///
    /// - Parameter before: what the page before gave as `next`.
    /// - Returns: the offers, and where the next page begins; nil after the last.
    public func invitations(
        of account: AccountID, before: Position?, limit: Int
    ) throws -> (invitations: [Invitation], next: Position?) {
        let query = Query.items([QueryItem(types: [.staffInvited], tags: [Tag(kind: .account, value: account.value)])])
        let last = bound ?? source.head
        let through = min(before.map { Position($0.rawValue - min($0.rawValue, 1)) } ?? last, last)
        let events = try source.events(matching: query, through: through, backwards: true, limit: limit)
        let invitations = try events.compactMap { event -> Invitation? in
            guard case .staffInvited(let invited) = try LoyaltyCodec.decode(event).event else { return nil }
            return try invitation(invited.invitation)
        }
        return (invitations, events.count == limit ? events.last?.position : nil)
    }

    /// The shops that an account works for and does not own, by when it was hired last, newest first.
    public func employers(of account: AccountID) throws -> [Shop] {
        // Each shop once, however often somebody was hired there.
        var seen: Set<ShopID> = []
        let tag = Tag(kind: .account, value: account.value)
        return try newest([.staffAdded, .staffJoined], [tag], limit: Limits.hiringsReadMax).compactMap { fact in
            guard let id = fact.event.shop, seen.insert(id).inserted, let shop = try shop(id) else { return nil }
            return shop.staff.contains(account) ? shop : nil
        }
    }

    /// Whether the mute lasts.
    public func has(_ mute: Mute) throws -> Bool {
        let tags = [Tag(kind: .account, value: mute.account.value), Tag(kind: .shop, value: mute.shop.value)]
        guard case .shopMuted = try newest([.shopMuted, .shopUnmuted], tags, limit: 1).first?.event else { return false }
        return true
    }

    /// The shops of which an account wants no notices.
    public func mutedShops(of account: AccountID) throws -> Set<ShopID> {
        try facts([.shopMuted, .shopUnmuted], Tag(kind: .account, value: account.value)).reduce(into: []) { muted, fact in
            switch fact.event {
            case .shopMuted(let event): muted.insert(event.shop)
            case .shopUnmuted(let event): muted.remove(event.shop)
            default: break
            }
        }
    }
}
