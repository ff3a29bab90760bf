import Loyalty
import World

extension RandomHistory {
    /// Returns a name for one of a shop's people, an offer to a number without an account, the taking of such an offer, or another look of
    /// a shop, mostly by somebody who may do it.
    mutating func teaming() -> (command: Command, actor: AccountID)? {
        let shop = ShopID(chaos.base + UInt128(chaos.lot(in: 1..<4)))
        let person = AccountID(chaos.base + UInt128(chaos.lot(in: 1..<8)))
        guard let owner = ledger.owners[shop] else { return nil }
        let manager = chaos.lot(70) ? owner : person
        switch chaos.lot(in: 0..<4) {
        case 0:
            let member = chaos.lot(60) ? ledger.crews[shop]?.max() ?? person : person
            return (Sample.label(member, chaos.lot(20) ? "" : chaos.lot(95) ? "阿美" : "\u{202E}", at: shop), manager)
        case 1: return (chaos.offerToNumber(at: shop), manager)
        case 2:
            let numbers = AccountID(chaos.base + 9_600)
            let waiting = ledger.offers.filter { $0.value.account >= numbers }.keys.min()
            return (waiting ?? (chaos.lot(50) ? ledger.offers.keys.min() : nil)).map { (Sample.takeOffer($0), person) }
        default:
            let color = ShopColor(rawValue: UInt8(chaos.lot(in: 0..<13)))
            let logo = chaos.lot(50) ? ImageID(UInt128(chaos.lot(in: 1..<4))) : nil
            return (Sample.edit(shop, color: color.map { .set($0) } ?? .removed, logo: logo.map { .set($0) } ?? .removed), manager)
        }
    }

    /// Offers a manager's role to a member at the counter, or lowers a manager's role. It picks the largest ids, so that a seed repeats the
    /// history.
    mutating func roleChange() -> Command? {
        let crews = ledger.crews.sorted { $0.key > $1.key }
        for (shop, crew) in crews {
            guard let member = crew.filter({ $0 != ledger.owners[shop] }).max() else { continue }
            let role: Role = ledger.manages(member, shop) ? .counter : .manager
            return Sample.invite(member, to: shop, as: chaos.invitation(), role: role)
        }
        return nil
    }
}
