/// The operator's pages under `/operate`: shells without data, the same for everybody, which scripts fill. The routes that the scripts use
/// refuse all but operators.
public enum OperatePage: CaseIterable, Sendable {
    case health, log, feedback, accounts, shops, cards, pictures

    /// The path of the page.
    public var path: String {
        switch self {
        case .health: "/operate"
        case .log: "/operate/log"
        case .feedback: "/operate/feedback"
        case .accounts: "/operate/accounts"
        case .shops: "/operate/shops"
        case .cards: "/operate/cards"
        case .pictures: "/operate/pictures"
        }
    }

    /// - Parameter eventTypes: for the filter of the log. The program defines them, so they reveal nothing about this log.
    public func page(in frame: PageFrame, eventTypes: [String] = []) -> WebPage {
        let (template, script) = parts
        let places = Self.allCases.map { place in
            ["href": place.path, "text": frame.language.say(place.word), "isCurrent": place == self] as [String: Any]
        }
        return WebPage(
            template, title: frame.language.say(title), in: frame.at(.me), script: script,
            fields: ["operatePlaces": places, "eventTypes": self == .log ? eventTypes : []])
    }

    private var parts: (TemplateName, Script) {
        switch self {
        case .health: (.operate, .operateHealth)
        case .log: (.operateLog, .operateLog)
        case .feedback: (.operateFeedback, .operateFeedback)
        case .accounts: (.operateAccounts, .operateAccounts)
        case .shops: (.operateShops, .operateShops)
        case .cards: (.operateCards, .operateCards)
        case .pictures: (.operatePictures, .operatePictures)
        }
    }

    private var title: Word {
        self == .health ? .operateTitle : word
    }

    /// The name in links, and the title except for ``health``.
    private var word: Word {
        switch self {
        case .health: .operateHealth
        case .log: .operateLog
        case .feedback: .operateFeedback
        case .accounts: .operateAccounts
        case .shops: .operateShops
        case .cards: .operateCards
        case .pictures: .operatePictures
        }
    }
}
