/// The operator's pages under `/operate`: shells without data, the same for everybody, which scripts fill. The routes that the scripts use
/// refuse all but operators.
public enum OperatePage: CaseIterable, Sendable {
    case health, log, feedback, accounts, shops, cards, pictures

    /// The path of the page.
    public var path: String { parts.path }

    /// - Parameter eventTypes: for the filter of the log. The program defines them, so they reveal nothing about this log.
    public func page(in frame: PageFrame, eventTypes: [String] = []) -> WebPage {
        let parts = parts
        let places = Self.allCases.map { place in
            ["href": place.path, "text": frame.language.say(place.parts.word), "isCurrent": place == self] as [String: Any]
        }
        return WebPage(
            parts.template, title: frame.language.say(self == .health ? .operateTitle : parts.word), in: frame.at(.me),
            script: parts.script, fields: ["operatePlaces": places, "eventTypes": self == .log ? eventTypes : []])
    }

    /// The word is the name in links, and the title except for ``health``.
    private var parts: (path: String, template: TemplateName, word: Word, script: Script) {
        switch self {
        case .health: ("/operate", .operate, .operateHealth, .operateHealth)
        case .log: ("/operate/log", .operateLog, .operateLog, .operateLog)
        case .feedback: ("/operate/feedback", .operateFeedback, .operateFeedback, .operateFeedback)
        case .accounts: ("/operate/accounts", .operateAccounts, .operateAccounts, .operateAccounts)
        case .shops: ("/operate/shops", .operateShops, .operateShops, .operateShops)
        case .cards: ("/operate/cards", .operateCards, .operateCards, .operateCards)
        case .pictures: ("/operate/pictures", .operatePictures, .operatePictures, .operatePictures)
        }
    }
}
