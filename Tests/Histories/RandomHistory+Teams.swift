import Loyalty
import LoyaltyCodec
import World

extension RandomHistory {
    /// A shop names one of its people, offers work to a number without an account, or changes its looks; or a customer takes an offer that
    /// waits, and mostly answers it.
    mutating func team() {
        let shop = shops.randomElement(using: &teaming)!
        guard let known = world.shops[shop] else { return }
        switch Int.random(in: 0..<4, using: &teaming) {
        case 0:
            let people = known.staff.sorted() + [known.owner]
            let label: TypedText = Bool.random(using: &teaming) ? .clear("阿美 \(facts.count)") : ""
            run(.labelStaff(LabelStaff(shop: shop, account: people.randomElement(using: &teaming)!, label: label)), by: known.owner)
        case 1:
            let role: Role = Bool.random(using: &teaming) ? .manager : .counter
            let offer = InviteStaff(invitation: InvitationID(teamID()), shop: shop, account: AccountID(teamID()), role: role)
            run(.inviteStaff(offer), by: known.owner)
        case 2: takeOffer()
        default:
            let look = ShopLook(color: ShopColor.allCases.randomElement(using: &teaming), logo: ImageID(teamID()))
            let isKept = Bool.random(using: &teaming)
            run(
                .editShop(
                    EditShop(
                        shop: shop, expected: .any, color: look.color.map { .set($0) } ?? .removed,
                        logo: isKept ? look.logo.map { .set($0) } ?? .removed : .removed)), by: known.owner)
        }
    }

    private mutating func takeOffer() {
        let waiting = world.invitations.values.filter { world.accounts[$0.account] == nil && $0.answer == nil }.sorted { $0.id < $1.id }
        guard let offer = waiting.randomElement(using: &teaming) else { return }
        let customer = customers.randomElement(using: &teaming)!
        run(.takeWaitingOffer(TakeWaitingOffer(invitation: offer.id)), by: customer)
        switch Int.random(in: 0..<4, using: &teaming) {
        case 0: break
        case 1: run(.declineInvitation(DeclineInvitation(invitation: offer.id)), by: customer)
        default: run(.acceptInvitation(AcceptInvitation(invitation: offer.id)), by: customer)
        }
    }

    private mutating func teamID() -> UInt128 { UUIDv7.make(at: now, random: (teaming.next(), teaming.next())) }
}
