import CommandService
import Loyalty

/// An account as its owner sees it.
struct AccountAnswer: JSONWritable {
    let account: AccountID
    /// `nil` where it was erased.
    let phone: String?
    let profile: OpenProfile
    /// The shop that it owns.
    let shop: ShopID?
    let isOperator: Bool
    /// Of the profile: the shop and the role are not part of what an `If-Match` is about.
    let version: UInt64

    func write(to json: inout JSONWriter) {
        json.object { writeFields(to: &$0) }
    }

    /// For answers that say more of the account.
    func writeFields(to json: inout JSONWriter) {
        json.field("id", account)
        json.field("phone", phone)
        json.field("nickname", profile.nickname)
        if let avatar = profile.avatar { json.field("avatar", avatar) } else { json.null("avatar") }
        json.field("gender", profile.gender)
        json.field("birthday", profile.birthday)
        json.field("city", profile.city)
        json.field("isMerchant", shop != nil)
        if let shop { json.field("shop", shop) } else { json.null("shop") }
        json.field("isOperator", isOperator)
    }
}
