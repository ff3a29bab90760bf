internal import Loyalty
internal import LoyaltyCodec

/// A person, their shops and their cards, folded from what names them. What is sealed stays so.
struct PastAccount {
    private let id: AccountID
    private(set) var account: Account?
    private var owned: [ShopID] = []
    private var employers: Set<ShopID> = []
    private var cards = PastCards()

    init(_ id: AccountID) { self.id = id }

    mutating func apply(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event) where event.account == id: account = Account(opening: fact)
        case .shopOpened(let event) where event.owner == id: owned.append(event.shop)
        case .staffAdded(let event) where event.account == id: employers.insert(event.shop)
        case .staffRemoved(let event) where event.account == id: employers.remove(event.shop)
        case .staffJoined(let event) where event.account == id: employers.insert(event.shop)
        case .employmentEnded(let event) where event.account == id: employers.remove(event.shop)
        case _ where fact.event.holder == id: cards.apply(fact)
        default: account?.evolve(fact)
        }
    }

    var fields: [PastField]? {
        guard let account else { return nil }
        let profile = account.profile
        return [
            .id("account", account.id), .time("registered", account.registeredAt), PastField("erased", .flag(account.isErased)),
            .sealed("phone", true), .sealed("nickname", profile.nickname != nil), .sealed("avatar", profile.avatar != nil),
            .sealed("gender", profile.gender != nil), .sealed("birthday", profile.birthday != nil),
            .sealed("city", profile.city != nil), .sealed("password", account.password != nil),
            .number("version", Int(clamping: account.version)), .ids("owns", owned), .ids("worksFor", employers.sorted()),
            PastField("cards", .list(cards.cards.map(\.pastSummary))),
        ]
    }
}
