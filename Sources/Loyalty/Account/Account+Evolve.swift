extension Account: Folded {
    public init?(opening fact: Fact) {
        guard case .accountRegistered(let event) = fact.event else { return nil }
        self.init(id: event.account, phone: event.phone, sealedPhone: event.sealedPhone, registeredAt: fact.time)
    }

    /// Nothing changes an account yet.
    public mutating func evolve(_ fact: Fact) {}
}
