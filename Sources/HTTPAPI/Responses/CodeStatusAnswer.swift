import Loyalty

/// A stamp code as the shop that issued it sees it. Not the code itself: it was shown once.
struct CodeStatusAnswer: JSONWritable {
    let code: Code
    /// The code's.
    let shop: Shop
    let now: Instant

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", code.id)
            $0.field("campaign", code.campaign)
            $0.field("shop", shop.id)
            $0.field("status", code.status(at: now, of: shop).text)
            $0.field("stamps", code.stamps)
            $0.field("expiresAt", code.expiresAt)
        }
    }
}

extension CodeStatus {
    fileprivate var text: String {
        switch self {
        case .open: "open"
        case .used: "used"
        case .destroyed: "destroyed"
        case .expired: "expired"
        }
    }
}
