import Histories
import Loyalty
import Seeds
import Testing
import World

extension FixtureStory {
    /// A legal history of scheduled notices: some appear at their time; others lapse, or are withdrawn before their time.
    static func time() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_124), shops: 2, customers: 6)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, shop) = (history.owners[0], history.shops[0])
        let campaign = history.world.campaigns.values.filter { $0.shop == shop }.map(\.id).min()!
        func schedule(_ seconds: Int64, to audience: NoticeAudience) -> NoticeID {
            let notice = NoticeID(history.id())
            let at = history.now.advanced(bySeconds: seconds)
            run(
                .postNotice(PostNotice(notice: notice, audience: audience, title: Sealed([1]), text: Sealed([2]), publishAt: at)),
                by: owner)
            return notice
        }
        let (first, second, third) = (
            schedule(600, to: .shop(shop)), schedule(900, to: .holders(campaign, of: shop)), schedule(1_200, to: .all)
        )
        let withdrawn = schedule(1_500, to: .shop(shop))
        history.pass(seconds: 700)
        run(.publishNotice(PublishNotice(notice: first)), by: .system)
        run(.withdrawNotice(WithdrawNotice(notice: withdrawn)), by: owner)
        run(.suspendShop(SuspendShop(shop: shop, reason: "Sells stamps")), by: owner)
        history.pass(seconds: 3_600)
        run(.publishNotice(PublishNotice(notice: second)), by: .system)
        run(.publishNotice(PublishNotice(notice: third)), by: .system)
        run(.reinstateShop(ReinstateShop(shop: shop, reason: "")), by: owner)
        let notice = PostNotice(
            notice: NoticeID(history.id()), audience: .holders(campaign, of: shop), title: Sealed([1]), text: Sealed([2]))
        run(.postNotice(notice), by: owner)
        history.grow(to: 120)
        return history.facts
    }
}
