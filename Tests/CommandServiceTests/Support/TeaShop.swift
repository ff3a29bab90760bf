import CommandService
import Composition
import Loyalty
import LoyaltyCodec
import Testing

/// An open shop with one running stamp card, which most tests need.
struct TeaShop: Sendable {
    let owner: Caller
    let shop: ShopID
    let campaign: CampaignID

    /// Registers an owner and opens a shop with a running campaign. Shops with different values of `number` have different owners.
    static func open(
        on service: GreenTea, goal: Int = 10, number: Int = 1, days: Int64 = 30, options: CampaignOptions = .none
    ) async throws -> TeaShop {
        let owner = Caller(account: try await service.register(phone(9_000 + number)).id)
        let opened = try await service.openShop(
            name: "绿茶", phone: "+86 21 5555", address: "1 Tea Road", location: Coordinate(latitude: 31.2, longitude: 121.5), by: owner)
        guard case .shopOpened(let shop) = opened.facts.first?.event else { throw TestFailure("no shop") }
        let published = try await service.publishCampaign(draft(goal: goal, days, options, on: service), of: shop.shop, by: owner)
        guard case .campaignPublished(let campaign) = published.facts.first?.event else { throw TestFailure("no campaign") }
        return TeaShop(owner: owner, shop: shop.shop, campaign: campaign.campaign)
    }

    /// Issues a new stamp code.
    func code(on service: GreenTea, stamps: Int = 1, validFor: Int = 600) async throws -> TypedCode {
        let issued = try await service.issueCode(of: campaign, stamps: stamps, validFor: validFor, by: owner)
        return service.stampCode(of: try issuing(issued))
    }

    /// Issues a new redemption code for a card.
    func redemptionCode(of card: CardID, by holder: Caller, on service: GreenTea) async throws -> TypedCode {
        let requested = try await service.requestRedemption(of: card, by: holder)
        guard case .redemptionRequested(let event) = requested.facts.first?.event else { throw TestFailure("no redemption") }
        return service.redemptionCode(of: event)
    }

    private static func draft(goal: Int, _ days: Int64, _ options: CampaignOptions, on service: GreenTea) -> CampaignDraft {
        let now = service.clock.now()
        return CampaignDraft(
            kind: .stampCard,
            terms: CampaignTerms(
                title: "Ten cups", details: "", goal: goal, reward: "The eleventh", startsAt: now,
                endsAt: now.advanced(bySeconds: days * 86_400), options: options))
    }
}

/// Returns the event that issued a code.
func issuing(_ acceptance: Acceptance) throws -> CodeIssued {
    guard case .codeIssued(let event) = acceptance.facts.first?.event else { throw TestFailure("no code") }
    return event
}

/// Returns a phone number reserved for the tests.
func phone(_ number: Int) -> E164Number {
    guard let phone = E164Number("+861380013\(10_000 + number)") else { preconditionFailure("not a phone number") }
    return phone
}

/// Registers a customer.
func customer(_ number: Int, on service: GreenTea) async throws -> Caller {
    Caller(account: try await service.register(phone(number)).id)
}

extension Caller {
    /// Returns the same account with an idempotency key. `content` takes the place of the request's content.
    func under(_ key: String, content: String = "request", on service: GreenTea) -> Caller {
        Caller(account: account, mark: service.keys.mark(account: account, key: key, content: Array(content.utf8)))
    }
}
