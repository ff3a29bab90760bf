extension Shop: Folded {
    public init?(opening fact: Fact) {
        guard case .shopOpened(let event) = fact.event else { return nil }
        self.init(
            id: event.shop, owner: event.owner, staff: [], contact: event.contact, images: event.images, isSuspended: false,
            openedAt: fact.time, version: fact.position)
    }

    public mutating func evolve(_ fact: Fact) {
        switch fact.event {
        case .shopEdited(let event) where event.shop == id: edit(event, fact)
        case .staffAdded(let event) where event.shop == id: staff.insert(event.account)
        case .staffRemoved(let event) where event.shop == id: staff.remove(event.account)
        case .staffInvited, .invitationEnded, .staffJoined, .employmentEnded: evolveStaff(fact)
        case .shopSuspended(let event) where event.shop == id: isSuspended = true
        case .shopReinstated(let event) where event.shop == id: isSuspended = false
        case .shopClosed(let event) where event.shop == id: close(event, fact)
        default: break
        }
    }

    private mutating func close(_ event: ShopClosed, _ fact: Fact) {
        closing = ShopClosing(closedAt: closing?.closedAt ?? fact.time, redeemUntil: event.redeemUntil)
        if event.erasesContact {
            contact = .erased
            images = []
        }
        version = fact.position
    }

    private mutating func edit(_ event: ShopEdited, _ fact: Fact) {
        contact = event.contact
        images = event.images
        version = fact.position
    }
}
