extension Account: Folded {
    public init?(opening fact: Fact) {
        guard case .accountRegistered(let event) = fact.event else { return nil }
        self.init(
            id: event.account, phone: event.phone, sealedPhone: event.sealedPhone, registeredAt: fact.time, version: fact.position)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .profileEdited(let event) where event.account == id:
            profile = event.change.applied(to: profile)
            version = fact.position
        case .passwordSet(let event) where event.account == id:
            password = AccountPassword(position: fact.position, sealedHash: event.sealedHash)
        case .passwordRemoved(let event) where event.account == id:
            password = nil
        case .accountErased(let event) where event.account == id:
            isErased = true
        default:
            break
        }
    }
}
