internal import EventLog
internal import Loyalty

extension AccountRegistered {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireAccountRegistered()
        message.sealedPhone = try WireBytes.data(sealedPhone, "sealedPhone")
        return try EventDraft(.accountRegistered, [Tag(.account, account.value), Tag(.phone, phone.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(2)
        let message = try event.message(WireAccountRegistered.self)
        self.init(
            account: try event.id(.account),
            phone: try event.secret(.phone),
            sealedPhone: try WireBytes.sealed(message.sealedPhone, "sealedPhone"))
    }
}

extension ProfileEdited {
    func draft() throws(CodecError) -> EventDraft {
        var message = WireProfileEdited()
        if let data = try WireBytes.data(change.nickname, "nickname") { message.sealedNickname = data }
        if let data = try WireBytes.data(change.avatar, "avatar") { message.sealedAvatar = data }
        if let data = try WireBytes.data(change.gender, "gender") { message.sealedGender = data }
        if let data = try WireBytes.data(change.birthday, "birthday") { message.sealedBirthday = data }
        if let data = try WireBytes.data(change.city, "city") { message.sealedCity = data }
        return try EventDraft(.profileEdited, [Tag(.account, account.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WireProfileEdited.self)
        self.init(
            account: try event.id(.account),
            change: ProfileChange(
                nickname: WireBytes.change(message.hasSealedNickname, message.sealedNickname),
                avatar: WireBytes.change(message.hasSealedAvatar, message.sealedAvatar),
                gender: WireBytes.change(message.hasSealedGender, message.sealedGender),
                birthday: WireBytes.change(message.hasSealedBirthday, message.sealedBirthday),
                city: WireBytes.change(message.hasSealedCity, message.sealedCity)))
    }
}

extension PasswordSet {
    func draft() throws(CodecError) -> EventDraft {
        var message = WirePasswordSet()
        message.sealedHash = try WireBytes.data(sealedHash, "sealedHash")
        return try EventDraft(.passwordSet, [Tag(.account, account.value)], message)
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        let message = try event.message(WirePasswordSet.self)
        self.init(account: try event.id(.account), sealedHash: try WireBytes.sealed(message.sealedHash, "sealedHash"))
    }
}

extension PasswordRemoved {
    func draft() -> EventDraft {
        EventDraft(.passwordRemoved, [Tag(.account, account.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        try event.expectNoPayload()
        self.init(account: try event.id(.account))
    }
}

extension AccountErased {
    func draft() -> EventDraft {
        EventDraft(.accountErased, [Tag(.account, account.value)])
    }

    init(current event: some StoredEvent & ~Escapable) throws(CodecError) {
        try event.expectTags(1)
        try event.expectNoPayload()
        self.init(account: try event.id(.account))
    }
}
