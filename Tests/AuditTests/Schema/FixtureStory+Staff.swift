import Histories
import Loyalty
import Seeds
import Testing
import World

extension FixtureStory {
    /// A legal history of invitations, of members who join and leave, and of mutes.
    static func staff() -> [Fact] {
        var history = RandomHistory(random: SeededRandom(seed: 20_261_123), shops: 2, customers: 6, roles: false)
        func run(_ command: Command, by actor: AccountID) {
            if history.run(command, by: actor).isEmpty { Issue.record("refused: \(command)") }
        }
        let (owner, shop, customers) = (history.owners[0], history.shops[0], history.customers)
        func invite(_ account: AccountID) -> InvitationID {
            let invitation = InvitationID(history.id())
            run(.inviteStaff(InviteStaff(invitation: invitation, shop: shop, account: account)), by: owner)
            return invitation
        }
        let (first, second, third) = (invite(customers[0]), invite(customers[1]), invite(customers[2]))
        run(.acceptInvitation(AcceptInvitation(invitation: first)), by: customers[0])
        run(.declineInvitation(DeclineInvitation(invitation: second)), by: customers[1])
        run(.withdrawInvitation(WithdrawInvitation(shop: shop, invitation: third)), by: owner)
        // Invites an account that does not exist.
        _ = invite(AccountID(history.id()))
        run(.muteShop(MuteShop(shop: shop)), by: customers[3])
        run(.muteShop(MuteShop(shop: shop)), by: customers[4])
        let notice = PostNotice(notice: NoticeID(history.id()), audience: .shop(shop), title: Sealed([1]), text: Sealed([2]))
        run(.postNotice(notice), by: owner)
        run(.unmuteShop(UnmuteShop(shop: shop)), by: customers[3])
        history.grow(to: 120)
        if history.world.shops[shop]?.staff.contains(customers[0]) == true { run(.leaveShop(LeaveShop(shop: shop)), by: customers[0]) }
        run(.acceptInvitation(AcceptInvitation(invitation: invite(customers[1]))), by: customers[1])
        run(.removeStaff(RemoveStaff(shop: shop, account: customers[1])), by: owner)
        return history.facts
    }
}
