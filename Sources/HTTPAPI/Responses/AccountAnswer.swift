import Loyalty

/// An account as its owner sees it.
struct AccountAnswer: JSONWritable {
    let account: AccountID
    /// `nil` where it was erased.
    let phone: String?
    /// The shop that it owns.
    let shop: ShopID?
    let isOperator: Bool

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("id", account)
            $0.field("phone", phone)
            for name in ["nickname", "avatar", "gender", "birthday", "city"] { $0.null(name) }
            $0.field("isMerchant", shop != nil)
            if let shop { $0.field("shop", shop) } else { $0.null("shop") }
            $0.field("isOperator", isOperator)
        }
    }
}
