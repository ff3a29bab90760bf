import CommandService
import EventLog
import Loyalty
import LoyaltyCodec

/// The author of something public, without the account id: whoever has that could do things to the account, such as offer it work.
///
/// The handle tells authors apart at one shop. Nothing leads from it to the account, or to the same person at another shop; name and
/// picture are what the author wants to be known by.
struct AuthorAnswer: JSONWritable {
    let handle: String
    /// `nil` where the author gave none, or was erased.
    let nickname: String?
    let avatar: ImageID?
    /// Whether the author owns the shop or works for it.
    let isShop: Bool

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("handle", handle)
            $0.field("nickname", nickname)
            if let avatar { $0.field("avatar", avatar) } else { $0.null("avatar") }
            $0.field("isShop", isShop)
        }
    }
}

/// The authors of one answer, each looked up once however much they wrote.
struct Authors {
    private let resources: Resources
    private let shop: Shop
    /// For answers that must be the same for ever.
    private let position: Position?
    private var known: [AccountID: AuthorAnswer] = [:]

    init(at shop: Shop, through position: Position? = nil, _ resources: Resources) {
        self.resources = resources
        self.shop = shop
        self.position = position
    }

    mutating func author(_ id: AccountID) throws -> AuthorAnswer {
        if let answer = known[id] { return answer }
        let account = try resources.service.reading(through: position) { try $0.account(id) }
        let profile = try account.map { try resources.service.profile(of: $0) }
        let answer = AuthorAnswer(
            handle: resources.service.keys.handle(of: id, at: shop.id), nickname: profile?.nickname, avatar: profile?.avatar,
            isShop: shop.employs(id))
        known[id] = answer
        return answer
    }
}
