/// A person's profile, sealed field by field under the account's data key; an empty field is `nil`.
public struct Profile: Hashable, Sendable {
    public var nickname: Sealed?
    public var avatar: Sealed?
    public var gender: Sealed?
    public var birthday: Sealed?
    public var city: Sealed?

    public init(nickname: Sealed? = nil, avatar: Sealed? = nil, gender: Sealed? = nil, birthday: Sealed? = nil, city: Sealed? = nil) {
        (self.nickname, self.avatar, self.gender, self.birthday, self.city) = (nickname, avatar, gender, birthday, city)
    }
}

/// An edit of a profile: the change of each field.
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
        (self.nickname, self.avatar, self.gender, self.birthday, self.city) = (nickname, avatar, gender, birthday, city)
    }

    func applied(to profile: Profile) -> Profile {
        Profile(
            nickname: nickname.applied(to: profile.nickname), avatar: avatar.applied(to: profile.avatar),
            gender: gender.applied(to: profile.gender), birthday: birthday.applied(to: profile.birthday),
            city: city.applied(to: profile.city))
    }

    /// Without changes that have no effect on `profile`.
    func beyond(_ profile: Profile) -> ProfileChange {
        ProfileChange(
            nickname: nickname.beyond(profile.nickname), avatar: avatar.beyond(profile.avatar), gender: gender.beyond(profile.gender),
            birthday: birthday.beyond(profile.birthday), city: city.beyond(profile.city))
    }

    /// With the value of every field, so that a reader of the event needs no earlier edit.
    func whole(after profile: Profile) -> ProfileChange {
        let after = applied(to: profile)
        func said(_ value: Sealed?) -> FieldChange<Sealed> { value.map { .set($0) } ?? .cleared }
        return ProfileChange(
            nickname: said(after.nickname), avatar: said(after.avatar), gender: said(after.gender), birthday: said(after.birthday),
            city: said(after.city))
    }

    public var isWhole: Bool { !fields.contains { $0.change == .unchanged } }

    /// Each field's name in the API, with its change.
    public var fields: [(name: String, change: FieldChange<Sealed>)] {
        [("nickname", nickname), ("avatar", avatar), ("gender", gender), ("birthday", birthday), ("city", city)]
    }
}

/// The change of one field that may be empty.
public enum FieldChange<Value: Hashable & Sendable>: Hashable, Sendable {
    case unchanged
    case cleared
    case set(Value)

    public func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .cleared: nil
        case .set(let new): new
        }
    }

    public func map<Other, Failure: Error>(_ transform: (Value) throws(Failure) -> Other) throws(Failure) -> FieldChange<Other> {
        switch self {
        case .unchanged: .unchanged
        case .cleared: .cleared
        case .set(let value): .set(try transform(value))
        }
    }

    /// Avoids a change without effect.
    func beyond(_ value: Value?) -> Self { applied(to: value) == value ? .unchanged : self }
}

/// A person changed their profile. In logs of older releases the event contains only the changed fields.
public struct ProfileEdited: Hashable, Sendable {
    public let account: AccountID
    public let change: ProfileChange

    public init(account: AccountID, change: ProfileChange) { (self.account, self.change) = (account, change) }
}
