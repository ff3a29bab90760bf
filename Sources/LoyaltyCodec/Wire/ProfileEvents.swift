internal import EventLog
internal import Loyalty

extension ProfileEdited: CodedEvent {
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
