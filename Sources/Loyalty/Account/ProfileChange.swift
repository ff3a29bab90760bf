/// An edit of a profile: of each field, what becomes of it.
public struct ProfileChange: Hashable, Sendable {
    public var nickname: FieldChange<Sealed>
    public var avatar: FieldChange<Sealed>
    public var gender: FieldChange<Sealed>
    public var birthday: FieldChange<Sealed>
    public var city: FieldChange<Sealed>

    public init(
        nickname: FieldChange<Sealed> = .unchanged, avatar: FieldChange<Sealed> = .unchanged, gender: FieldChange<Sealed> = .unchanged,
        birthday: FieldChange<Sealed> = .unchanged, city: FieldChange<Sealed> = .unchanged
    ) {
        self.nickname = nickname
        self.avatar = avatar
        self.gender = gender
        self.birthday = birthday
        self.city = city
    }

    /// The profile after the edit.
    func applied(to profile: Profile) -> Profile {
        Profile(
            nickname: nickname.applied(to: profile.nickname), avatar: avatar.applied(to: profile.avatar),
            gender: gender.applied(to: profile.gender), birthday: birthday.applied(to: profile.birthday),
            city: city.applied(to: profile.city))
    }

    /// The edit without what is so already.
    func beyond(_ profile: Profile) -> ProfileChange {
        ProfileChange(
            nickname: nickname.beyond(profile.nickname), avatar: avatar.beyond(profile.avatar), gender: gender.beyond(profile.gender),
            birthday: birthday.beyond(profile.birthday), city: city.beyond(profile.city))
    }

    /// The edit of a profile as one that says every field, so that what came before it need not be read.
    func whole(after profile: Profile) -> ProfileChange {
        let after = applied(to: profile)
        func said(_ value: Sealed?) -> FieldChange<Sealed> { value.map { .set($0) } ?? .cleared }
        return ProfileChange(
            nickname: said(after.nickname), avatar: said(after.avatar), gender: said(after.gender), birthday: said(after.birthday),
            city: said(after.city))
    }

    /// Whether no field depends on earlier edits.
    public var isWhole: Bool { !fields.contains { $0.change == .unchanged } }

    /// Every field by the name that it has in the API.
    public var fields: [(name: String, change: FieldChange<Sealed>)] {
        [("nickname", nickname), ("avatar", avatar), ("gender", gender), ("birthday", birthday), ("city", city)]
    }
}
