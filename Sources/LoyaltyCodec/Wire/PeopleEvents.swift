internal import EventLog
internal import Loyalty

extension PhoneChanged {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePhoneChanged()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        return try EventDraft(.phoneChanged, [Tag(.account, account.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WirePhoneChanged.self)
        self.init(account: try event.id(.account), sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"))
    }
}

extension PhoneChangeRequested {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePhoneChangeRequested()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        message.holdsAt = holdsAt.microseconds
        return try EventDraft(.phoneChangeRequested, [Tag(.account, account.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WirePhoneChangeRequested.self)
        self.init(
            account: try event.id(.account),
            sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"),
            reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"),
            holdsAt: Instant(microseconds: message.holdsAt))
    }
}

extension PhoneChangeEnded {
    func draft() -> EventDraft {
        EventDraft(.phoneChangeEnded, [Tag(.account, account.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        try event.expectNoPayload()
        self.init(account: try event.id(.account))
    }
}

extension AccountSuspended {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountSuspended()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.accountSuspended, [Tag(.account, account.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WireAccountSuspended.self)
        self.init(
            account: try event.id(.account), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}

extension AccountReinstated {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountReinstated()
        message.reason = reason.clearField
        message.sealedReason = try reason.sealedField("reason")
        return try EventDraft(.accountReinstated, [Tag(.account, account.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WireAccountReinstated.self)
        self.init(
            account: try event.id(.account), reason: try TypedText(clear: message.reason, sealed: message.sealedReason, "reason"))
    }
}

extension AccountSearched {
    /// The event before it becomes bytes. It has a tag for the account that the search found, and no tag if the search found none.
    func draft() -> EventDraft {
        EventDraft(.accountSearched, account.map { [Tag(.account, $0.value)] } ?? [])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectNoPayload()
        let account = event.value(of: .account)
        try event.expectTags(account == nil ? 0 : 1)
        self.init(account: account.map { AccountID($0) })
    }
}
