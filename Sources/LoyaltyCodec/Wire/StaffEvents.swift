internal import EventLog
internal import Loyalty

/// Staff events have tags only.
extension StaffAdded {
    func draft() -> EventDraft {
        EventDraft(.staffAdded, [Tag(.account, account.value), Tag(.shop, shop.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }
}

extension StaffRemoved {
    func draft() -> EventDraft {
        EventDraft(.staffRemoved, [Tag(.account, account.value), Tag(.shop, shop.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }
}

/// Offers to work at a shop, and what became of them.
extension StaffInvited {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStaffInvited()
        message.expiresAt = expiresAt.microseconds
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.staffInvited, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        let message = try event.message(WireStaffInvited.self)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            expiresAt: Instant(microseconds: message.expiresAt))
    }
}

extension InvitationEnded {
    func draft() -> EventDraft {
        EventDraft(.invitationEnded, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        try event.expectNoPayload()
        self.init(invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account))
    }
}

extension StaffJoined {
    func draft() -> EventDraft {
        EventDraft(.staffJoined, [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        try event.expectNoPayload()
        self.init(invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account))
    }
}

extension EmploymentEnded {
    func draft() -> EventDraft {
        EventDraft(.employmentEnded, [Tag(.account, account.value), Tag(.shop, shop.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        try event.expectNoPayload()
        self.init(shop: try event.id(.shop), account: try event.id(.account))
    }
}
