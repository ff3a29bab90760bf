public import Loyalty

/// The facts about a shop that its digest needs beside the figures.
public struct DigestShop: Sendable {
    let owner: AccountID
    let openingHours: [OpeningHours]?
    /// Running stamp cards, the newest last.
    let campaigns: [Campaign]

    public init(owner: AccountID, openingHours: [OpeningHours]?, campaigns: [Campaign]) {
        (self.owner, self.openingHours, self.campaigns) = (owner, openingHours, campaigns)
    }
}

/// The one act that a finding proposes, with the values that a form is filled in with.
public enum DigestAct: Hashable, Sendable {
    case publishCampaign(DigestFilling)
    case editCampaign(CampaignID, DigestFilling)
    /// A message to the shop's customers.
    case message
    case none
}

/// A proposed change of a campaign's options.
public enum DigestFilling: Hashable, Sendable {
    case welcomeStamps(Int)
    /// A small reward at this number of stamps.
    case milestone(Int)
    case bonus(BonusHours)
}

extension DigestFinding {
    /// The act for this finding, which the shop's present campaigns allow.
    public func act(at shop: DigestShop) -> DigestAct {
        switch self {
        case .cardsEnding, .rewardsWaiting: .message
        case .unusualReversals: .none
        case .cardsLeft(let found): found.act(at: shop)
        case .quietHour(let found): found.act(at: shop)
        }
    }
}

extension CardsLeft {
    /// Cards left at the first stamp suggest one more stamp at the beginning; later ones, a small reward at the next stamp.
    fileprivate func act(at shop: DigestShop) -> DigestAct {
        guard let found = shop.campaigns.first(where: { $0.id == campaign }) else { return .none }
        let (options, welcome) = (found.options, (found.options.welcomeStamps ?? 0) + 1)
        if stamps <= welcome, Limits.welcomeStamps.contains(welcome), welcome < found.goal {
            return .editCampaign(campaign, .welcomeStamps(welcome))
        }
        let next = stamps + 1
        let isFree = options.milestones.count < Limits.milestones && options.milestones[at: next] == nil
        return isFree && next < found.goal ? .editCampaign(campaign, .milestone(next)) : .none
    }
}

extension QuietHour {
    /// Bonus hours for the newest stamp card, or for a new one; none if it has bonus hours there, or no room for more.
    fileprivate func act(at shop: DigestShop) -> DigestAct {
        let bonus = BonusHours(days: days, fromMinute: hour * 60, toMinute: (hour + 1) * 60, factor: Limits.bonusFactor.lowerBound)
        guard let campaign = shop.campaigns.last else { return .publishCampaign(.bonus(bonus)) }
        return (campaign.options.bonuses + [bonus]).fault == nil ? .editCampaign(campaign.id, .bonus(bonus)) : .none
    }
}
