import PhoneNumbers

/// The pages of signed-in people, and the sign-in: shells, the same for everybody, which scripts fill and a service worker may keep.
public enum SignedInPage: CaseIterable, Sendable {
    case signIn, wallet, card, redeem, scan, badge, messages, me, help, counter, verify, today, offline
    case shops, shop, shopCampaigns, shopCampaign, shopEdit, shopStaff, shopClosing, shopNumbers, shopPapers, shopMessages, shopActivity
    case shopCustomers

    /// The kinds of ids in addresses.
    public enum Subject: Sendable { case card, shop }

    /// With `{id}` in place of the subject's id.
    public var path: String { parts.path }

    /// Nil for an address without an id.
    public var subject: Subject? { path.hasPrefix("/wallet/{id}") ? .card : path.hasPrefix("/shop/{id}") ? .shop : nil }

    /// The page shows nothing to a signed-out reader.
    public var needsSession: Bool {
        switch self {
        case .signIn, .help, .scan, .offline: false
        default: true
        }
    }

    /// The sign-in for a reader without a session, who then returns to `path`.
    public static func signIn(returningTo path: String) -> String { "/sign-in?over=maybe&next=" + MapLinks.encoded(path) }

    /// The shell, with the tab to which it belongs selected.
    public func page(in frame: PageFrame) -> WebPage {
        let (_, template, title, script) = parts
        let fields: [String: Any] =
            switch self {
            case .signIn: ["regions": Self.regions]
            case .counter: ["codes": Self.codes]
            case .shops: ["regions": NumberingPlans.regions.map(\.code).joined(separator: " ")].merging(places(in: frame)) { $1 }
            case .shopEdit: places(in: frame)
            default: [:]
            }
        return WebPage(
            template, title: frame.language.say(title), in: tab.map { frame.at($0) } ?? frame, script: script,
            hasMap: fields["tiles"] != nil, fields: fields)
    }

    /// For choosing a place on a map. A point of a shifted map is not the place that the API expects.
    private func places(in frame: PageFrame) -> [String: Any] {
        guard let tiles = frame.tiles, tiles.grid == .world else { return [:] }
        return ["tiles": tiles.fields(around: nil)]
    }

    /// Choices at the sign-in. The page's script knows their names.
    private static let regions = NumberingPlans.regions.map { ["region": $0.code, "code": String($0.callingCode)] }

    /// All calling codes, by which the counter sets the code of a number apart.
    private static let codes = Set(NumberingPlans.regions.map(\.callingCode)).sorted().map(String.init).joined(separator: " ")

    private var parts: (path: String, template: TemplateName, title: Word, script: Script) {
        switch self {
        case .signIn: ("/sign-in", .signIn, .signInTitle, .signIn)
        case .wallet: ("/wallet", .wallet, .walletTitle, .wallet)
        case .card: ("/wallet/{id}", .walletCard, .cardTitle, .walletCard)
        case .redeem: ("/wallet/{id}/redeem", .redeem, .redeemTitle, .redeem)
        case .scan: ("/scan", .scan, .scanTitle, .scanPage)
        case .badge: ("/badge", .badge, .badgeTitle, .badge)
        case .messages: ("/messages", .messages, .messagesTitle, .messages)
        case .me: ("/me", .me, .meTitle, .me)
        case .help: ("/help", .help, .helpTitle, .help)
        case .counter: ("/counter", .counter, .counterTitle, .counter)
        case .verify: ("/counter/verify", .verify, .verifyTitle, .verify)
        case .today: ("/counter/today", .today, .todayTitle, .today)
        case .offline: ("/offline", .offline, .offlineTitle, .offline)
        case .shops: ("/shops", .shops, .shopsTitle, .shops)
        case .shop: ("/shop/{id}", .shopPage, .digestTitle, .shopDigest)
        case .shopCampaigns: ("/shop/{id}/campaigns", .shopPage, .campaignsTitle, .shopCampaigns)
        case .shopCampaign: ("/shop/{id}/campaign", .shopPage, .campaign, .shopCampaign)
        case .shopEdit: ("/shop/{id}/edit", .shopPage, .shopEditTitle, .shopEdit)
        case .shopStaff: ("/shop/{id}/staff", .shopPage, .staffTitle, .shopStaff)
        case .shopClosing: ("/shop/{id}/closing", .shopPage, .closingTitle, .shopClosing)
        case .shopNumbers: ("/shop/{id}/numbers", .shopPage, .numbersTitle, .shopNumbers)
        case .shopPapers: ("/shop/{id}/papers", .shopPage, .papersTitle, .shopPapers)
        case .shopMessages: ("/shop/{id}/messages", .shopPage, .writeTitle, .shopMessages)
        case .shopActivity: ("/shop/{id}/activity", .shopPage, .activityTitle, .shopActivity)
        case .shopCustomers: ("/shop/{id}/customers", .shopPage, .customersTitle, .shopCustomers)
        }
    }

    private var tab: PageTab? {
        switch self {
        case .wallet, .card, .redeem: .wallet
        case .scan: .scan
        case .signIn, .badge, .messages, .me, .help: .me
        // These pages are on no tab. For people who work at a shop, a script adds links to the counter and the shops.
        case .counter, .verify, .today, .offline, .shops, .shop, .shopCampaigns, .shopCampaign, .shopEdit, .shopStaff, .shopClosing,
            .shopNumbers, .shopPapers, .shopMessages, .shopActivity, .shopCustomers:
            nil
        }
    }
}

extension WebPage {
    /// The page of a scanned stamp code, with a button; opening it changes nothing. The same for each possible code, so it does not reveal
    /// which are valid.
    ///
    /// - Parameter code: as people type it: `K7QF-2M9X`.
    public static func stampCode(_ code: String, in frame: PageFrame) -> WebPage {
        .shell(.collect, title: .stampCodeTitle, script: .collect, fields: ["code": code], in: frame)
    }

    /// The code is only in the address.
    public static func badge(in frame: PageFrame) -> WebPage { .shell(.badgeLink, title: .badgeLinkTitle, script: .badgeLink, in: frame) }

    /// The same page for each possible code, so it does not reveal which are valid.
    ///
    /// - Parameter code: as people type it: `K7QF-2M9X-0R3T-8WBN`.
    public static func paper(_ code: String, in frame: PageFrame) -> WebPage {
        .shell(.paperLink, title: .paperTitle, script: .paperLink, fields: ["code": code], in: frame)
    }

    /// The page of a scanned redemption code, which leads the shop's people to the counter.
    ///
    /// - Parameter code: as people type it: `K7QF-2M9X`.
    public static func redemptionCode(_ code: String, in frame: PageFrame) -> WebPage {
        .shell(.redemptionLink, title: .redemptionCodeTitle, script: .redemptionLink, fields: ["code": code], in: frame)
    }
}
