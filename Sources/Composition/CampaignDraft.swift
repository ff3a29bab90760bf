public import CommandService
public import Loyalty
import LoyaltyCodec

/// The content of a campaign that is about to be published.
///
/// A card copies the sealed reward, so stamping seals nothing. Goal, times and caps stay unsealed, because rules need them.
public struct CampaignDraft: Hashable, Sendable {
    public var kind: CampaignKind
    public var terms: CampaignTerms<String>

    public init(kind: CampaignKind, terms: CampaignTerms<String>) { (self.kind, self.terms) = (kind, terms) }

    var named: CampaignDraft {
        var named = self
        (named.terms.title, named.terms.reward) = (terms.title.asName, terms.reward.asName)
        named.terms.options.milestones = terms.options.milestones.named
        return named
    }
}

extension EditCampaign {
    var named: EditCampaign {
        var named = self
        (named.title, named.reward) = (title?.asName, reward?.asName)
        if case .set(let milestones) = options.milestones { named.options.milestones = .set(milestones.named) }
        return named
    }
}

extension [Milestone] {
    fileprivate var named: [Milestone] {
        map { Milestone(at: $0.at, reward: $0.reward.open.map { .clear($0.asName) } ?? $0.reward) }
    }
}

extension GreenTea {
    /// The texts are empty if the shop's owner was erased.
    public func opened(_ campaign: Campaign, of shop: Shop) throws(ServiceError) -> Campaign {
        var shown = campaign
        shown.title = try opened(campaign.title, as: .campaignTitle, of: shop)
        shown.details = try opened(campaign.details, as: .campaignDetails, of: shop)
        shown.reward = try opened(campaign.reward, as: .campaignReward, of: shop)
        for place in shown.terms.options.milestones.indices {
            let reward = shown.terms.options.milestones[place].reward
            shown.terms.options.milestones[place].reward = try opened(reward, as: .milestoneReward, of: shop)
        }
        return shown
    }

    /// Creates the shop's key if it has none.
    ///
    /// - Returns: nil if the decision will refuse the campaign, so that no key is made for it.
    func sealedTexts(of campaign: PublishCampaign, by caller: Caller) async throws(ServiceError) -> CampaignTexts? {
        do { try campaign.checkTexts() } catch { return nil }
        guard let key = try await key(of: campaign.shop, for: caller) else { return nil }
        return CampaignTexts(
            title: try seal(campaign.terms.title, as: .campaignTitle, of: campaign.shop, under: key),
            details: try seal(campaign.terms.details, as: .campaignDetails, of: campaign.shop, under: key),
            reward: try seal(campaign.terms.reward, as: .campaignReward, of: campaign.shop, under: key),
            milestones: try sealed(campaign.terms.options.milestones, of: campaign.shop, under: key))
    }

    /// The event repeats all texts, so unsealed ones of an older version are now sealed.
    func resealed(_ edit: EditCampaign, by caller: Caller) async throws(ServiceError) -> EditCampaign {
        guard let known = try reading({ try $0.campaign(edit.campaign) }) else { return edit }
        let isTextual = edit.title != nil || edit.details != nil || edit.reward != nil || edit.options.milestones != .unchanged
        guard isTextual || known.hasClearText, let shop = try reading({ try $0.shop(known.shop) }),
            let key = try await key(of: shop.id, for: caller)
        else { return edit }
        let shown = try opened(known, of: shop)
        var edit = edit
        edit.resealed = ResealedTexts(
            title: try reseal(edit.title, shown.title, as: .campaignTitle, of: shop.id, under: key),
            details: try reseal(edit.details, shown.details, as: .campaignDetails, of: shop.id, under: key),
            reward: try reseal(edit.reward, shown.reward, as: .campaignReward, of: shop.id, under: key),
            milestones: try resealed(edit.options.milestones, shown, known, under: key),
            unchanged: known.hasClearText ? try sealed(known, under: key) : nil, basis: known.version)
        return edit
    }

    /// Unchanged rewards keep their sealed bytes, so that they do not count as a change.
    private func resealed(
        _ change: Change<[Milestone]>, _ shown: Campaign, _ known: Campaign, under key: DataKey
    ) throws(ServiceError) -> [TypedText]? {
        guard case .set(let milestones) = change else { return nil }
        var rewards: [TypedText] = []
        for milestone in milestones {
            let (old, stored) = (shown.options.milestones[at: milestone.at], known.options.milestones[at: milestone.at])
            if let old, let stored, old.reward == milestone.reward, !milestone.hasNothing {
                rewards.append(stored.reward)
            } else {
                rewards += try sealed([milestone], of: known.shop, under: key)
            }
        }
        return rewards
    }

    private func sealed(_ milestones: [Milestone], of shop: ShopID, under key: DataKey) throws(ServiceError) -> [TypedText] {
        var rewards: [TypedText] = []
        for milestone in milestones {
            rewards.append(try seal(milestone.reward.open ?? "", as: .milestoneReward, of: shop, under: key))
        }
        return rewards
    }

    private func sealed(_ campaign: Campaign, under key: DataKey) throws(ServiceError) -> CampaignTexts {
        func text(_ text: TypedText, as field: SealedField) throws(ServiceError) -> TypedText {
            guard let clear = text.open else { return text }
            return try seal(clear, as: field, of: campaign.shop, under: key)
        }
        return CampaignTexts(
            title: try text(campaign.title, as: .campaignTitle), details: try text(campaign.details, as: .campaignDetails),
            reward: try text(campaign.reward, as: .campaignReward))
    }

    /// Created durably if missing; nil for strangers, and if the key was erased.
    private func key(of shop: ShopID, for caller: Caller) async throws(ServiceError) -> DataKey? {
        guard let known = try reading({ try $0.shop(shop) }), known.role(of: caller.account) ?? .counter >= .manager else { return nil }
        do { return try await makeKey(of: shop) } catch { throw ServiceError(storage: error) }
    }

    private func opened(_ text: TypedText, as field: SealedField, of shop: Shop) throws(ServiceError) -> TypedText {
        if shop.contact == .erased { return .clear("") }
        guard case .sealed(let sealed) = text else { return text }
        return .clear(try open(sealed, as: field, of: shop.id.keyHolder) ?? "")
    }

    /// - Returns: nil for an unchanged text, because sealing it again would look like a change.
    private func reseal(
        _ text: String?, _ known: TypedText, as field: SealedField, of shop: ShopID, under key: DataKey
    ) throws(ServiceError) -> TypedText? {
        guard let text, text != known.open else { return nil }
        return try seal(text, as: field, of: shop, under: key)
    }

    private func seal(_ text: String, as field: SealedField, of shop: ShopID, under key: DataKey) throws(ServiceError) -> TypedText {
        guard !text.isEmpty else { return .clear("") }
        do {
            let nonce = randomness.bytes(Sealing.nonceLength)
            return .sealed(try Sealing.seal(text, field: field, of: shop.keyHolder, under: key, nonce: nonce))
        } catch {
            throw ServiceError(storage: error)
        }
    }
}

extension Milestone {
    fileprivate var hasNothing: Bool { reward == .clear("") }
}

extension Campaign {
    fileprivate var hasClearText: Bool { [terms.title, terms.details, terms.reward].contains { $0.open?.isEmpty == false } }
}
