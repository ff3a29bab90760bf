internal import EventLog
internal import Loyalty

/// The stored form of `StaffAdded` and `StaffRemoved`. These events were written before there were offers to work at a shop. They have tags
/// and no payload.
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

/// The stored form of an offer to work at a shop.
extension StaffInvited {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStaffInvited()
        message.expiresAt = expiresAt.microseconds
        message.role = try role.wireField()
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.staffInvited, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let message = try event.message(WireStaffInvited.self)
        try self.init(message, event, role: try Role(wireField: message.role))
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ message: WireStaffInvited, _ event: some StoredEvent & ~Escapable, role: Role) throws(CodecError) {
        try event.expectTags(3)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account), role: role,
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
    func draft() throws(CodecError) -> EventDraft {
        var message = WireStaffJoined()
        message.role = try role.wireField()
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.staffJoined, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try self.init(event, role: try Role(wireField: try event.message(WireStaffJoined.self).role))
    }

    /// Reads the event from any of its versions. The callers handle the differences between the versions.
    init(_ event: some StoredEvent & ~Escapable, role: Role) throws(CodecError) {
        try event.expectTags(3)
        self.init(invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account), role: role)
    }
}

/// The stored form of a change of a member's role. If the member accepted an offer of that role, the event has a tag with the offer's id.
extension RoleChanged {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireRoleChanged()
        message.role = try role.wireField()
        let offer = invitation.map { [Tag(.invitation, $0.value)] } ?? []
        return try EventDraft(.roleChanged, [Tag(.account, account.value), Tag(.shop, shop.value)] + offer, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        let message = try event.message(WireRoleChanged.self)
        let offer: InvitationID? = event.value(of: .invitation) != nil ? try event.id(.invitation) : nil
        try event.expectTags(offer == nil ? 2 : 3)
        self.init(shop: try event.id(.shop), account: try event.id(.account), role: try Role(wireField: message.role), invitation: offer)
    }
}

/// The stored form of an offer to own a shop.
extension TransferOffered {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireTransferOffered()
        message.expiresAt = expiresAt.microseconds
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.transferOffered, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        let message = try event.message(WireTransferOffered.self)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            expiresAt: Instant(microseconds: message.expiresAt))
    }
}

/// The stored form of the lapse of such an offer.
extension TransferLapsed {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireTransferLapsed()
        message.dueAt = dueAt.microseconds
        let tags = [Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value)]
        return try EventDraft(.transferLapsed, tags, message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(3)
        let message = try event.message(WireTransferLapsed.self)
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            dueAt: Instant(microseconds: message.dueAt))
    }
}

extension ShopTransferred {
    func draft() -> EventDraft {
        EventDraft(
            .shopTransferred,
            [
                Tag(.account, account.value), Tag(.shop, shop.value), Tag(.invitation, invitation.value),
                Tag(.formerOwner, formerOwner.value),
            ])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(4)
        try event.expectNoPayload()
        self.init(
            invitation: try event.id(.invitation), shop: try event.id(.shop), account: try event.id(.account),
            formerOwner: try event.id(.formerOwner))
    }
}

/// The number of a role of staff in payloads. The owner's role is refused, because no event about staff gives that role.
extension Role {
    fileprivate func wireField() throws(CodecError) -> UInt32 {
        guard self < .owner else { throw CodecError(.fieldOutOfRange, "role is owner") }
        return UInt32(rawValue)
    }

    fileprivate init(wireField: UInt32) throws(CodecError) {
        guard let role = UInt8(exactly: wireField).flatMap({ Role(rawValue: $0) }), role < .owner else {
            throw CodecError(.fieldOutOfRange, "role is \(wireField)")
        }
        self = role
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
