import Loyalty
import World

extension RandomHistory {
    /// Returns a change of a saved search, mostly by its account, or an alert, mostly at the moment when it is due.
    mutating func searching() -> (command: Command, actor: AccountID)? {
        let person = AccountID(chaos.base + UInt128(chaos.lot(in: 1..<8)))
        let terms = Sealed(Array(repeating: UInt8(chaos.lot(in: 0..<9)), count: chaos.lot(95) ? 40 : 28))
        let known = ledger.interests.keys.sorted()
        guard chaos.lot(75), !known.isEmpty else {
            let number = chaos.lot(95) ? world.position : known.first.map { UInt64($0.value & 0xFFFF_FFFF) } ?? 0
            let search = SearchID(UInt128(number) + 1 << 80)
            return (.search(.save(SaveSearch(search: search, terms: terms, alerts: chaos.lot(80)))), person)
        }
        let search = known[chaos.lot(in: 0..<known.count)]
        let owner = ledger.interests[search]?.account ?? person
        let actor = chaos.lot(85) ? owner : person
        switch chaos.lot(in: 0..<10) {
        case 0: return (.search(.edit(EditSearch(search: search, terms: terms, alerts: chaos.lot(70)))), actor)
        case 1: return (.search(.see(SeeSearch(search: search))), actor)
        case 2: return (.search(.remove(RemoveSearch(search: search))), actor)
        default: return alerting(search).map { ($0, .system) }
        }
    }

    private mutating func alerting(_ search: SearchID) -> Command? {
        guard let known = ledger.interests[search] else { return nil }
        if known.dueAt > chaos.now, chaos.lot(20) {
            chaos.jump(to: Instant(microseconds: known.dueAt.microseconds - (chaos.lot(80) ? 0 : 1)))
        }
        let after = chaos.lot(90) ? known.news : 0
        let new = ledger.publications.filter { $0.value > after }.sorted { $0.value > $1.value }.map(\.key)
        let notice = chaos.lot(95) ? NoticeID(UInt128(world.position) + 1 << 90) : ledger.notices.min() ?? NoticeID(1)
        return .search(
            .alert(
                AlertSearch(
                    search: search, notice: notice, found: Array(new.prefix(30)), hasMore: new.count > 30, after: after,
                    through: chaos.lot(90) ? world.position : after)))
    }
}
