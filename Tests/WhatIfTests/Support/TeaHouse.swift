import Audit
import EventLog
import Histories
import Loyalty
import LoyaltyCodec
import Testing
import World

@testable import WhatIf

/// A history written by hand: one shop, its campaigns and customers. The real decisions judge each command at a chosen time.
struct TeaHouse {
    private(set) var facts: [Fact] = []
    private(set) var world = World()
    var now: Instant
    private(set) var owner = AccountID(0)
    private(set) var shop = ShopID(0)
    private(set) var campaign = CampaignID(0)
    private var number: UInt128 = 0

    /// Opens the shop.
    ///
    /// - Parameter start: a time in RFC 3339; by default a Monday morning.
    init(goal: Int = 10, caps: StampCaps = .none, options: CampaignOptions = .none, start: String = "2026-01-05T09:00:00Z") throws {
        now = try #require(Instant(rfc3339: start))
        owner = customer()
        shop = ShopID(id())
        let place = Coordinate(latitude: 31.2, longitude: 121.5)
        must(.openShop(OpenShop(shop: shop, name: "茶, \"7\"", phone: "+86 21 5555", address: "1 Tea Road", location: place)), by: owner)
        campaign = publish(goal: goal, caps: caps, options: options)
    }

    /// Returns a new id. Ids are scattered, so that no two cards have adjacent ids.
    mutating func id() -> UInt128 {
        number += 1
        return number &* 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
    }

    /// Runs a command that must be accepted.
    @discardableResult
    mutating func must(_ command: Command, by actor: AccountID) -> [LoyaltyEvent] {
        let events = run(command, by: actor)
        if events.isEmpty { Issue.record("refused at \(now.rfc3339): \(command)") }
        return events
    }

    /// Runs a command that may be refused.
    @discardableResult
    mutating func run(_ command: Command, by actor: AccountID) -> [LoyaltyEvent] {
        guard case .success(let events) = command.decide(in: &world, by: actor, at: now) else { return [] }
        for event in events {
            let fact = Fact(position: UInt64(facts.count) + 1, time: now, actor: actor, event: event)
            facts.append(fact)
            world.evolve(fact)
        }
        return events
    }

    mutating func wait(minutes: Int64) { now = now.advanced(bySeconds: minutes * 60) }
    mutating func wait(hours: Int64) { wait(minutes: hours * 60) }
    mutating func wait(days: Int64) { wait(hours: days * 24) }
}

extension TeaHouse {
    mutating func customer() -> AccountID {
        let account = AccountID(id())
        must(.registerAccount(RegisterAccount(account: account, phone: Secret(id()), sealedPhone: Sealed([1]))), by: account)
        return account
    }

    mutating func publish(goal: Int, caps: StampCaps = .none, options: CampaignOptions = .none) -> CampaignID {
        let campaign = CampaignID(id())
        must(
            .publishCampaign(
                PublishCampaign(
                    campaign: campaign, shop: shop, kind: .stampCard,
                    terms: CampaignTerms(
                        title: "Cups", details: "", goal: goal, reward: "A cup", startsAt: now,
                        endsAt: now.advanced(bySeconds: 1_000 * 86_400), caps: caps, options: options))),
            by: owner)
        return campaign
    }

    mutating func issue(worth: Int = 1, validFor: Int = 600, of other: CampaignID? = nil) -> Secret {
        let secret = Secret(id())
        must(
            .issueCode(
                IssueCode(
                    code: CodeID(id()), campaign: other ?? campaign, secret: secret, attempt: 0, stamps: worth, validFor: validFor)),
            by: owner)
        return secret
    }

    mutating func enter(_ secret: Secret, by account: AccountID) {
        must(.stamp(Stamp(secret: secret, campaign: nil, firstCard: CardID(id()))), by: account)
    }

    /// Stamps the card of a customer who has not registered.
    mutating func give(to waiting: AccountID, of other: CampaignID? = nil) {
        let issue = IssueCode(
            code: CodeID(id()), campaign: other ?? campaign, secret: Secret(id()), attempt: 0, stamps: 1, validFor: 600)
        must(.giveStamps(GiveStamps(issue: issue, holder: waiting, isWaiting: true, firstCard: CardID(id()))), by: owner)
    }

    /// Issues a code and submits it at once.
    mutating func stamp(_ account: AccountID, worth: Int = 1, of other: CampaignID? = nil) {
        let secret = issue(worth: worth, of: other)
        enter(secret, by: account)
    }

    /// Stamps a card once a day on `count` days. When it returns, the time is a day after the last stamp.
    mutating func visits(_ count: Int, by account: AccountID, of other: CampaignID? = nil) {
        for _ in 0..<count {
            stamp(account, of: other)
            wait(days: 1)
        }
    }

    func cards(of account: AccountID, _ status: CardStatus) -> [CardID] {
        world.cards.values.filter { $0.holder == account && $0.status == status }.sorted { $0.openedAt < $1.openedAt }.map(\.id)
    }

    /// Redeems the full card that was opened first.
    @discardableResult
    mutating func redeem(_ account: AccountID) throws -> RedemptionID {
        let (redemption, secret) = (RedemptionID(id()), Secret(id()))
        let card = try #require(cards(of: account, .full).first)
        must(.requestRedemption(RequestRedemption(redemption: redemption, card: card, secret: secret, attempt: 0)), by: account)
        must(.redeem(Redeem(secret: secret)), by: owner)
        return redemption
    }

    /// Redeems a milestone on the customer's oldest full card. If no card is full, it uses the collecting card.
    @discardableResult
    mutating func redeem(_ milestone: Int, of account: AccountID) throws -> RedemptionID {
        let (redemption, secret) = (RedemptionID(id()), Secret(id()))
        let card = try #require((cards(of: account, .full) + cards(of: account, .collecting)).first)
        must(
            .requestRedemption(RequestRedemption(redemption: redemption, card: card, milestone: milestone, secret: secret, attempt: 0)),
            by: account)
        must(.redeem(Redeem(secret: secret)), by: owner)
        return redemption
    }

    /// Re-runs the history under other rules.
    func whatIf(
        _ rules: String, prices: [String] = [], from: String? = nil, to: String? = nil
    ) throws -> WhatIfReport {
        var read = Prices()
        for price in prices {
            let isRead = read.add(price)
            #expect(isRead)
        }
        let question = WhatIf(
            try ProgrammeRules(json: Array(rules.utf8)), prices: read, from: from.flatMap { ReplayBound(textOrDay: $0) },
            to: to.flatMap { ReplayBound(textOrDay: $0) } ?? .head)
        let report = try question.run(on: try TestData.with(facts).log(.readOnly))
        #expect(report.check.isPassed, "\(report.check)")
        return report
    }
}

extension WhatIfReport {
    /// Returns how often a command was refused for a reason.
    func times(_ kind: Refusal.Kind, _ reason: Refusal.Reason) -> Int {
        refused.first { $0.refusal == Refusal(kind: kind, reason: reason) }?.count ?? 0
    }

    /// Returns a figure before and after the change, such as "5 → 4".
    func change(_ figure: KeyPath<Tally, Int>) -> String { "\(total.before[keyPath: figure]) → \(total.after[keyPath: figure])" }

    /// The number of refusals.
    var refusals: Int { refused.reduce(0) { $0 + $1.count } }
}
