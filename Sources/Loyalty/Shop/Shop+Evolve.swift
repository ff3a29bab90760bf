extension Shop: Folded {
    public init?(opening fact: Fact) {
        guard case .shopOpened(let event) = fact.event else { return nil }
        self.init(
            id: event.shop, owner: event.owner, staff: [], name: event.name, phone: event.phone, address: event.address,
            location: event.location, openedAt: fact.time)
    }

    /// Nothing changes a shop yet.
    public mutating func evolve(_ fact: Fact) {}
}
