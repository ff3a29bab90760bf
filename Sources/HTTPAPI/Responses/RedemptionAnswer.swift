import Loyalty

/// A redemption as its holder and the shop see it.
struct RedemptionAnswer: JSONWritable {
    let redemption: Redemption
    let status: RedemptionStatus

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", redemption.id)
            $0.field("status", status.text)
            $0.field("card", redemption.card)
            $0.field("campaign", redemption.campaign)
            $0.field("shop", redemption.shop)
            $0.field("requestedAt", redemption.requestedAt)
            $0.field("expiresAt", redemption.expiresAt)
        }
    }
}

extension RedemptionStatus {
    fileprivate var text: String {
        switch self {
        case .pending: "pending"
        case .redeemed: "redeemed"
        case .expired: "expired"
        case .replaced: "replaced"
        case .reversed: "reversed"
        }
    }
}
