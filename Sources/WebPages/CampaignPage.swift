public import Loyalty
internal import LoyaltyCodec

extension WebPage {
    /// A campaign with the data that its page shows, its texts decrypted.
    public struct CampaignView: Sendable {
        public let campaign: Campaign
        public let shop: Shop
        /// The other shops at which the campaign is valid.
        public let shops: [Shop]
        public let rating: RatingView
        public let favorites: Int
        /// The campaign's picture, or else its shop's.
        public let image: String?
        /// The path of the shop's logo.
        public let logo: String?
        public let clock: ShopClock
        var now: Instant { clock.now }

        public init(
            campaign: Campaign, shop: Shop, shops: [Shop] = [], rating: RatingView, favorites: Int, image: String?, logo: String? = nil,
            clock: ShopClock
        ) {
            (self.campaign, self.shop, self.shops, self.rating, self.favorites) = (campaign, shop, shops, rating, favorites)
            (self.image, self.logo, self.clock) = (image, logo, clock)
        }
    }

    /// The largest goal with large places for stamps, five in a row.
    private static let largePlacesMax = 15

    /// The page of a campaign, with an empty card if it has stamp cards.
    public static func campaign(_ view: CampaignView, in frame: PageFrame) -> WebPage {
        let (campaign, shop, language) = (view.campaign, view.shop, frame.language)
        let title = title(of: campaign, language)
        var fields: [String: Any] = [
            "hero": view.image ?? false, "badge": badge(view, language) ?? false, "shopName": name(of: shop, language),
            "shopHref": "/s/" + shop.id.text, "details": campaign.details.open ?? "", "card": card(view, language) ?? false,
            "coupon": campaign.kind == .coupon ? ["couponReward": campaign.reward.open ?? ""] : false,
            "facts": facts(view, language), "links": links(to: shop, language).map { ["address": $0.address, "text": $0.text] },
            "address": shop.address, "hasPlace": shop.location != nil, "rating": stars(view.rating, language) ?? false,
            "isRunning": campaign.isRunning(at: view.now) && !shop.isSuspended && shop.closing == nil, "campaignID": campaign.id.text,
            "favorites": view.favorites > 0 ? language.say(.keptBy, count: view.favorites) : "",
        ]
        fields["hasDetails"] = !(campaign.details.open ?? "").isEmpty
        fields["tint"] = shop.look.classes
        fields["logo"] = view.logo.map { $0 + "?width=160" as Any } ?? false
        fields["hasShops"] = !view.shops.isEmpty
        fields["shops"] = ([shop] + view.shops).map { each in
            ["branchName": name(of: each, language), "branchHref": "/s/" + each.id.text, "branchAddress": each.address]
        }
        let summary = summary(campaign, shop, language)
        return WebPage(
            .campaign, title: title, in: frame.at(.discover), script: .campaign,
            preview: LinkPreview(
                description: summary, url: frame.publicURL + "/c/" + campaign.id.text, image: view.image.map { frame.publicURL + $0 }),
            fields: fields)
    }

    /// Empty for a promotion, whose title suffices.
    static func offer(of campaign: Campaign, _ language: PageLanguage) -> String {
        if campaign.kind == .coupon { return campaign.reward.open ?? "" }
        guard campaign.kind == .stampCard else { return "" }
        let goal = ["goal": String(campaign.goal)]
        guard let reward = campaign.reward.open, !reward.isEmpty else { return language.say(.offerGoal, goal) }
        return language.say(.offerGoalReward, goal.merging(["reward": reward]) { $1 })
    }

    private static func badge(_ view: CampaignView, _ language: PageLanguage) -> [String: Any]? {
        if view.shop.closing != nil { return ["kind": "bad", "badgeText": language.say(.shopHasClosed)] }
        if view.shop.isSuspended { return ["kind": "warn", "badgeText": language.say(.shopPaused)] }
        if view.campaign.isOver(at: view.now) { return ["kind": "bad", "badgeText": language.say(.campaignOver)] }
        if view.now < view.campaign.startsAt {
            return ["kind": "warn", "badgeText": language.say(.startsOn, ["day": day(view.campaign.startsAt, language, view.clock)])]
        }
        return nil
    }

    /// Nil for a campaign without stamp cards.
    private static func card(_ view: CampaignView, _ language: PageLanguage) -> [String: Any]? {
        guard view.campaign.kind == .stampCard else { return nil }
        let (goal, milestones) = (view.campaign.goal, view.campaign.options.milestones)
        let rewards = Set(milestones.map(\.at) + [goal])
        return [
            "places": (1...max(goal, 1)).map { ["number": $0, "isReward": rewards.contains($0)] as [String: Any] },
            "isMany": goal > largePlacesMax,
            "reward": view.campaign.reward.open ?? "", "goalText": language.say(.stampCount, count: goal),
            "steps": milestones.filter { $0.at < goal }.map { step in
                ["stepText": language.say(.milestoneNext, count: step.at), "stepReward": step.reward.open ?? ""]
            },
        ]
    }

    private static func facts(_ view: CampaignView, _ language: PageLanguage) -> [[String: String]] {
        let campaign = view.campaign
        let end = min(campaign.endsAt, campaign.endedAt ?? campaign.endsAt)
        let period = ["from": day(campaign.startsAt, language, view.clock), "to": day(end, language, view.clock)]
        var facts = [(Word.factRuns, language.say(.fromTo, period))]
        if let perDay = campaign.caps.stampsPerDayMax { facts.append((.factPerDay, language.say(.stampCount, count: perDay))) }
        if let gap = campaign.caps.minimumGapSeconds {
            facts.append((.factGap, language.say(.minutes, count: max((Int(gap) + 59) / 60, 1))))
        }
        return facts.map { ["name": language.say($0), "value": $1] }
            + campaign.options.milestones.map { milestone in
                ["name": language.say(.factMilestone, count: milestone.at), "value": milestone.reward.open ?? ""]
            }
            + campaign.options.bonuses.map { hours in
                ["name": language.say(.factBonus, ["factor": String(hours.factor)]), "value": text(of: hours, language)]
            }
    }

    /// In the shop's local time.
    private static func text(of hours: BonusHours, _ language: PageLanguage) -> String {
        let isNight = hours.toMinute <= hours.fromMinute
        return language.say(
            isNight ? .bonusHoursNight : .bonusHours,
            ["days": days(hours.days, language), "from": DayClock.text(hours.fromMinute), "to": DayClock.text(hours.toMinute)])
    }

    private static func days(_ days: Weekdays, _ language: PageLanguage) -> String {
        if days == .all { return language.say(.everyDay) }
        let isChinese = language == .chinese
        let names = isChinese ? ["周一", "周二", "周三", "周四", "周五", "周六", "周日"] : ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return names.enumerated().filter { days.contains(day: $0.offset) }.map(\.element).joined(separator: isChinese ? "、" : ", ")
    }

    /// In the shop's local time and the reader's language, like `dayAt` in scripts.
    static func day(_ moment: Instant, _ language: PageLanguage, _ clock: ShopClock) -> String {
        let time = clock.shown(moment)
        let parts = time.rfc3339.prefix(10).split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]) else { return String(time.rfc3339.prefix(10)) }
        if language == .chinese { return "\(parts[0])年\(parts[1])月\(parts[2])日" }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(parts[2]) \(months[parts[1] - 1]) \(parts[0])"
    }
}
