internal import Loyalty
internal import LoyaltyCodec

extension CardRow {
    /// A row in one line for people: "full, 10 of 10 stamps, holder acct_…, shop shop_…, 11 entries, last at position 42".
    static func text(_ bytes: Span<UInt8>) -> String? {
        guard let card = decode(bytes, id: CardID(0)), let last = card.history.last else { return nil }
        let redemption = card.newestRedemption.map { ", redemption \($0.text)" } ?? ""
        let reward = card.reward.open.map { "\"\($0)\"" } ?? "a sealed reward"
        return "\(card.status), \(card.stamps) of \(card.goal) stamps for \(reward), holder \(card.holder.text), "
            + "campaign \(card.campaign.text), shop \(card.shop.text), opened \(card.openedAt.rfc3339)\(redemption), "
            + "\(card.history.count) entries, last at position \(last.position)"
    }
}
