internal import CommandService
internal import Composition
internal import Loyalty
internal import LoyaltyCodec

/// Opens the file's shops with owners and campaigns, at the time of the shop's first visit or, for a shared campaign, of the file's.
struct ShopOpener {
    let service: GreenTea
    let terms: ImportTerms
    let keys: ImportKeys

    /// Clearly not a real shop's.
    static let unknownPlace = Coordinate(latitude: 0, longitude: 0)
    /// A till's history has neither an address nor a phone number.
    static let unknownAddress = "not in the till's history"
    static let unknownPhone = "000"

    func open(_ value: String, at place: Coordinate?, time: Instant, line: Int) async throws(ImportError) -> OpenedShop {
        let name = terms.shopName(of: value)
        do throws(ServiceError) {
            let opening = try await opening(by: terms.ownerIdentity(of: value), at: time)
            let shop = try await opened(value, at: place, opening)
            let published = try await published([], for: value, at: shop, opening)
            let campaign = try await extended(published, to: [shop], opening)
            return OpenedShop(value: value, owner: opening.owner, campaign: campaign)
        } catch .idempotencyKeyReused {
            throw .importedWithOtherGoal(shop: name)
        } catch {
            throw await ImportError.refusal(of: error, to: "open the shop \(name)", line: line, by: service)
        }
    }

    /// Opens all shops for one owner, and their campaign, which new shops join if an earlier import has published it.
    ///
    /// - Returns: the shops by their number in the history.
    /// - Throws: `ImportError.tooManyShops`, `.importedWithOtherGoal`, `.refused`, `.stopped`.
    func openAll(_ history: VisitHistory, time: Instant, line: Int) async throws(ImportError) -> [OpenedShop?] {
        let values = history.shops.names
        guard values.count <= Loyalty.Limits.sharedShops + 1 else { throw .tooManyShops(max: Loyalty.Limits.sharedShops + 1) }
        do throws(ServiceError) {
            let opening = try await opening(by: terms.ownerIdentity(of: ""), at: time)
            var shops: [NamedShop] = []
            for (number, value) in values.enumerated() {
                shops.append(try await opened(value, at: history.location(ofShop: Int32(number)), opening))
            }
            // `""` stands for the shared campaign in its key. In a file with several shops, no other campaign has that.
            let published = try await published(Array(shops.dropFirst()), for: "", at: shops[0], opening)
            let campaign = try await extended(published, to: shops, opening)
            return zip(values, shops).map { OpenedShop(value: $0, owner: opening.owner, campaign: campaign, place: $1) }
        } catch .idempotencyKeyReused {
            throw .importedWithOtherGoal(shop: terms.name)
        } catch {
            throw await ImportError.refusal(of: error, to: "open the shops of \(terms.name)", line: line, by: service)
        }
    }

    private func opening(by identity: String, at time: Instant) async throws(ServiceError) -> Opening {
        Opening(owner: try await service.register(identity: identity, at: time).id, time: time)
    }

    private func opened(_ value: String, at place: Coordinate?, _ opening: Opening) async throws(ServiceError) -> NamedShop {
        let acceptance = try await service.openShop(
            name: terms.shopName(of: value), phone: Self.unknownPhone, address: Self.unknownAddress, location: place ?? Self.unknownPlace,
            by: opening.caller(keys, ImportKeys.opening(of: value)), at: opening.time)
        guard case .shopOpened(let shop) = acceptance.facts.first?.event else { throw .failed("no shop was opened") }
        return NamedShop(shop.shop)
    }

    private func published(
        _ others: [NamedShop], for value: String, at shop: NamedShop, _ opening: Opening
    ) async throws(ServiceError) -> CampaignPublished {
        let caller = opening.caller(keys, [value, "campaign"], terms: "goal \(terms.goal)")
        let draft = campaign(from: opening.time, others.map(\.id))
        let acceptance = try await service.publishCampaign(draft, of: shop.id, by: caller, at: opening.time)
        guard case .campaignPublished(let campaign) = acceptance.facts.first?.event else { throw .failed("no campaign was published") }
        return campaign
    }

    private func extended(
        _ published: CampaignPublished, to shops: [NamedShop], _ opening: Opening
    ) async throws(ServiceError) -> CampaignPublished {
        guard let known = try service.reading({ try $0.campaign(published.campaign) }) else { throw .failed("the campaign is not there") }
        let missing = Set(shops.map(\.id)).subtracting(known.options.shops).subtracting([known.shop])
        var options = CampaignOptionChanges()
        if !missing.isEmpty { options.shops = .set((known.options.shops + missing).sorted()) }
        var terms = published.terms
        terms.startsAt = min(terms.startsAt, known.terms.startsAt)
        // A campaign that its owner has ended cannot change its end, which an earlier start needs.
        let isEarlier = opening.time < terms.startsAt && known.endedAt == nil
        if isEarlier { terms.startsAt = opening.time }
        guard isEarlier || !missing.isEmpty else { return published.with(terms) }
        let latest = terms.startsAt.advanced(bySeconds: Loyalty.Limits.campaignRunningSecondsMax)
        let edit = EditCampaign(
            campaign: known.id, expected: .any, startsAt: isEarlier ? terms.startsAt : nil,
            endsAt: isEarlier ? min(known.terms.endsAt, latest) : nil, options: options)
        _ = try await service.editCampaign(edit, by: Caller(account: opening.owner), at: opening.time)
        return published.with(terms)
    }

    /// A campaign of the maximum duration, so that a longer file can be imported later.
    private func campaign(from start: Instant, _ others: [ShopID]) -> CampaignDraft {
        CampaignDraft(
            kind: .stampCard,
            terms: CampaignTerms(
                title: "Stamp card: \(terms.goal)", details: "Imported from the till's history.", goal: terms.goal,
                reward: "One on the house", startsAt: start, endsAt: start.advanced(bySeconds: Loyalty.Limits.campaignRunningSecondsMax),
                options: CampaignOptions(shops: others)))
    }
}

extension CampaignPublished {
    fileprivate func with(_ terms: CampaignTerms<TypedText>) -> CampaignPublished {
        CampaignPublished(campaign: campaign, shop: shop, kind: kind, terms: terms)
    }
}

/// The owner of the shops, and the time. A class like `NamedShop`.
private final class Opening: Sendable {
    let owner: AccountID
    let time: Instant

    init(owner: AccountID, time: Instant) { (self.owner, self.time) = (owner, time) }

    func caller(_ keys: ImportKeys, _ parts: [String], terms: String = "") -> Caller {
        Caller(account: owner, mark: keys.mark(of: owner, parts, terms: terms))
    }
}

/// A shop of the file whose campaign is published.
struct OpenedShop: Sendable {
    let value: String
    let owner: AccountID
    /// With its present start, perhaps of an earlier import.
    let campaign: CampaignPublished
    var place: NamedShop?

    func complaint(about time: Instant) -> String? {
        if time < campaign.terms.startsAt { return "the visit is before the shop's campaign, which has ended" }
        if time >= campaign.terms.endsAt {
            return "the visit is after the end of the shop's campaign, \(campaign.terms.endsAt.rfc3339): no campaign runs longer"
        }
        return nil
    }
}
