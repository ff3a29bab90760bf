internal import CommandService
internal import Composition
internal import Loyalty
internal import LoyaltyCodec

/// Opens a shop of the file: its owner's account, the shop and its campaign, all at the time of the shop's first visit.
struct ShopOpener {
    let service: GreenTea
    let terms: ImportTerms
    let keys: ImportKeys

    /// The coordinates of a shop whose place is not in the file. They are clearly not those of a real shop.
    static let unknownPlace = Coordinate(latitude: 0, longitude: 0)
    /// The address of each shop, because a till's history has neither an address nor a phone number.
    static let unknownAddress = "not in the till's history"
    static let unknownPhone = "000"

    /// Opens a shop.
    ///
    /// - Throws: `ImportError.importedWithOtherGoal`, `.refused`, `.stopped`.
    func open(_ value: String, at place: Coordinate?, time: Instant, line: Int) async throws(ImportError) -> OpenedShop {
        let name = terms.shopName(of: value)
        do throws(ServiceError) {
            let owner = try await service.register(identity: terms.ownerIdentity(of: value), at: time).id
            let opening = try await service.openShop(
                name: name, phone: Self.unknownPhone, address: Self.unknownAddress, location: place ?? Self.unknownPlace,
                by: Caller(account: owner, mark: keys.mark(of: owner, [value, "shop"])), at: time)
            guard case .shopOpened(let shop) = opening.facts.first?.event else { throw ServiceError.failed("no shop was opened") }
            let mark = keys.mark(of: owner, [value, "campaign"], terms: "goal \(terms.goal)")
            let publishing = try await service.publishCampaign(
                campaign(from: time), of: shop.shop, by: Caller(account: owner, mark: mark), at: time)
            guard case .campaignPublished(let campaign) = publishing.facts.first?.event else {
                throw ServiceError.failed("no campaign was published")
            }
            return OpenedShop(value: value, owner: owner, campaign: campaign)
        } catch .idempotencyKeyReused {
            throw .importedWithOtherGoal(shop: name)
        } catch {
            throw await ImportError.refusal(of: error, to: "open the shop \(name)", line: line, by: service)
        }
    }

    /// A campaign from the first visit on with the maximum duration, so that a longer file from the same till can be imported later.
    private func campaign(from start: Instant) -> CampaignDraft {
        CampaignDraft(
            kind: .stampCard,
            terms: CampaignTerms(
                title: "Stamp card: \(terms.goal)", details: "Imported from the till's history.", goal: terms.goal,
                reward: "One on the house", startsAt: start, endsAt: start.advanced(bySeconds: Loyalty.Limits.campaignRunningSecondsMax)))
    }
}

/// A shop of the file whose campaign is published.
struct OpenedShop: Sendable {
    /// The value of the shop column.
    let value: String
    let owner: AccountID
    /// The campaign as stored in the log, perhaps published by an earlier import.
    let campaign: CampaignPublished

    /// The reason why a visit at `time` cannot be stamped; `nil` if it can.
    func complaint(about time: Instant) -> String? {
        if time < campaign.terms.startsAt { return "the visit is before the shop's campaign, which began with an earlier import" }
        if time >= campaign.terms.endsAt {
            return "the visit is after the end of the shop's campaign, \(campaign.terms.endsAt.rfc3339): no campaign runs longer"
        }
        return nil
    }
}
