/// Pages of signed-in people: shells, the same for everybody, which scripts fill. A service worker may keep them.
public enum SignedInPage: CaseIterable, Sendable {
    case signIn, wallet, card, redeem, scan, badge, messages, me, counter, verify, today

    /// The address, with `{id}` for a card's id.
    public var path: String {
        switch self {
        case .signIn: "/sign-in"
        case .wallet: "/wallet"
        case .card: "/wallet/{id}"
        case .redeem: "/wallet/{id}/redeem"
        case .scan: "/scan"
        case .badge: "/badge"
        case .messages: "/messages"
        case .me: "/me"
        case .counter: "/counter"
        case .verify: "/counter/verify"
        case .today: "/counter/today"
        }
    }

    /// Whether the address has a card's id.
    public var hasCard: Bool { self == .card || self == .redeem }

    /// The shell, with the tab that is lit on it.
    public func page(in frame: PageFrame) -> WebPage {
        let (template, title, script) = parts
        return .shell(template, title: title, script: script, in: tab.map { frame.at($0) } ?? frame)
    }

    private var parts: (TemplateName, Word, Script) {
        switch self {
        case .signIn: (.signIn, .signInTitle, .signIn)
        case .wallet: (.wallet, .walletTitle, .wallet)
        case .card: (.walletCard, .cardTitle, .walletCard)
        case .redeem: (.redeem, .redeemTitle, .redeem)
        case .scan: (.scan, .scanTitle, .scanPage)
        case .badge: (.badge, .badgeTitle, .badge)
        case .messages: (.messages, .messagesTitle, .messages)
        case .me: (.me, .meTitle, .me)
        case .counter: (.counter, .counterTitle, .counter)
        case .verify: (.verify, .verifyTitle, .verify)
        case .today: (.today, .todayTitle, .today)
        }
    }

    private var tab: PageTab? {
        switch self {
        case .wallet, .card, .redeem: .wallet
        case .scan: .scan
        case .signIn, .badge, .messages, .me: .me
        // The counter is a place to go for those who work at one; their browser adds it.
        case .counter, .verify, .today: nil
        }
    }
}

extension WebPage {
    /// A scanned stamp code, with a button that collects it. Opening the page changes nothing, and it is the same for each text that could
    /// be a code, so that nobody learns here which ones are good.
    ///
    /// - Parameter code: as it is typed: `K7QF-2M9X`.
    public static func stampCode(_ code: String, in frame: PageFrame) -> WebPage {
        .shell(.collect, title: .stampCodeTitle, script: .collect, fields: ["code": code], in: frame)
    }

    /// A scanned redemption code, which is for the shop's eyes: its people are led on to the counter.
    ///
    /// - Parameter code: as it is typed: `K7QF-2M9X`.
    public static func redemptionCode(_ code: String, in frame: PageFrame) -> WebPage {
        .shell(.redemptionLink, title: .redemptionCodeTitle, script: .redemptionLink, fields: ["code": code], in: frame)
    }
}
