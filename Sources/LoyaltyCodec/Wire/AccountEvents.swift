internal import EventLog
internal import Loyalty

extension AccountRegistered {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountRegistered()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        return try EventDraft(.accountRegistered, [Tag(.account, account.value), Tag(.phone, phone.value)], message)
    }

    init(v1 event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        let message = try event.message(WireAccountRegistered.self)
        self.init(
            account: try event.id(.account),
            phone: try event.secret(.phone),
            sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"))
    }
}
