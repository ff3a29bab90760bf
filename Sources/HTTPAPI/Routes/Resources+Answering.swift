import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search

/// What several routes need for their answers.
extension Resources {
    /// Waits until the read models show a write, so that whoever wrote and then looks, sees it.
    func settled(_ acceptance: Acceptance) async -> Acceptance {
        await service.settle(acceptance.position)
        return acceptance
    }

    /// - Throws: `notFound` where the log has no such thing.
    func existing<Value>(
        through position: Position? = nil, _ find: (LogPast<EventLog>) throws -> Value?
    ) throws -> Value {
        guard let value = try service.reading(through: position, find) else { throw Problem(.notFound) }
        return value
    }

    /// A shop as it may be shown, now or as it stood at a position.
    func shop(_ id: ShopID, through position: Position? = nil) throws -> Shop {
        try service.opened(try existing(through: position) { try $0.shop(id) })
    }

    /// A campaign as it stood at a position, for answers that must be the same for ever.
    func campaignAnswer(_ id: CampaignID, at acceptance: Acceptance) throws -> CampaignAnswer {
        let campaign = try existing(through: acceptance.position) { try $0.campaign(id) }
        let shop = try shop(campaign.shop, through: acceptance.position)
        let time = acceptance.facts.last?.time ?? now
        return CampaignAnswer(
            campaign: try service.opened(campaign, of: shop), shop: shop, now: time, standing: try standing(of: id, at: acceptance))
    }

    /// How many kept a campaign as of an edit, so that the same edit gets the same answer again. The log is asked, favourite by
    /// favourite, only where the model cannot say.
    func standing(of campaign: CampaignID, at acceptance: Acceptance) throws -> Standing {
        let known = try service.discovery.favoriteCount(of: campaign, through: acceptance.position)
        let count = try known ?? service.reading(through: acceptance.position) { try $0.favoriteCount(of: campaign) }
        return Standing(favorites: count, isFavorite: nil)
    }

    /// What somebody told the operator; `nil` for any other event.
    func feedbackAnswer(_ fact: Fact) throws -> FeedbackItemAnswer? {
        guard case .feedbackGiven(let event) = fact.event else { return nil }
        return FeedbackItemAnswer(
            author: event.author, text: try text(event.text, as: .feedbackText, of: event.author), at: fact.time, position: fact.position)
    }

    /// A text in the clear; `nil` where there is none or its author was erased.
    func text(_ sealed: Sealed?, as field: SealedField, of author: AccountID) throws -> String? {
        guard let sealed else { return nil }
        return try service.open(sealed, as: field, of: author)
    }

    /// An account as its owner sees it, now or as it stood at a position.
    func accountAnswer(_ id: AccountID, through position: Position? = nil) throws -> AccountAnswer {
        let (account, shop) = try service.reading(through: position) { (try $0.account(id), try $0.shop(ownedBy: id)) }
        guard let account else { throw Problem(.unauthenticated) }
        return AccountAnswer(
            account: id, phone: try service.open(account.sealedPhone, as: .phone, of: id), profile: try service.profile(of: account),
            shop: shop?.id, isOperator: service.isOperator(account), version: account.version)
    }

    /// Whoever holds an access token of a session that has just ended is nobody from now on.
    func dropSessions(endedBy acceptance: Acceptance) {
        for case .sessionEnded(let event) in acceptance.facts.lazy.map(\.event) { gate.end(event.session) }
    }

    /// A defect: an accepted command without the event that it always adds.
    static func missingFact(_ acceptance: Acceptance) -> Problem {
        Problem(.internal, internalDetail: "no such event among those accepted up to \(acceptance.position)")
    }
}
