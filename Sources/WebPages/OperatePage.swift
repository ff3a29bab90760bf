/// The operator's pages under `/operate`: shells, the same for everybody, which scripts fill.
///
/// They show nothing by themselves. Their scripts ask routes that refuse everybody but operators, and then say so in a sentence.
public enum OperatePage: CaseIterable, Sendable {
    case health, log, feedback, accounts, shops, cards, pictures

    /// The address.
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

    /// - Parameter eventTypes: names that the log's page suggests. Names of the program, not of anything in its log.
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

    /// The page's name among the others.
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
