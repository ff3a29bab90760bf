/// A person's profile. Each field is sealed under the data key of the person's account; an empty field is `nil`.
public struct Profile: Hashable, Sendable {
    public var nickname: Sealed?
    /// The id of the person's picture.
    public var avatar: Sealed?
    public var gender: Sealed?
    public var birthday: Sealed?
    public var city: Sealed?

    public init(
        nickname: Sealed? = nil, avatar: Sealed? = nil, gender: Sealed? = nil, birthday: Sealed? = nil, city: Sealed? = nil
    ) {
        self.nickname = nickname
        self.avatar = avatar
        self.gender = gender
        self.birthday = birthday
        self.city = city
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

    /// This edit without the changes that have no effect on `profile`.
    func beyond(_ profile: Profile) -> ProfileChange {
        ProfileChange(
            nickname: nickname.beyond(profile.nickname), avatar: avatar.beyond(profile.avatar), gender: gender.beyond(profile.gender),
            birthday: birthday.beyond(profile.birthday), city: city.beyond(profile.city))
    }

    /// The edit as an event stores it: with the value that every field has after the edit, so that a reader of the event needs no earlier
    /// edit.
    func whole(after profile: Profile) -> ProfileChange {
        let after = applied(to: profile)
        func said(_ value: Sealed?) -> FieldChange<Sealed> { value.map { .set($0) } ?? .cleared }
        return ProfileChange(
            nickname: said(after.nickname), avatar: said(after.avatar), gender: said(after.gender), birthday: said(after.birthday),
            city: said(after.city))
    }

    /// Whether the edit sets or clears every field, so that the profile after it does not depend on earlier edits.
    public var isWhole: Bool { !fields.contains { $0.change == .unchanged } }

    /// The change of every field, with the field's name in the API.
    public var fields: [(name: String, change: FieldChange<Sealed>)] {
        [("nickname", nickname), ("avatar", avatar), ("gender", gender), ("birthday", birthday), ("city", city)]
    }
}

/// The change of one field that may be empty.
public enum FieldChange<Value: Hashable & Sendable>: Hashable, Sendable {
    case unchanged
    case cleared
    case set(Value)

    /// The field's value after this change.
    public func applied(to value: Value?) -> Value? {
        switch self {
        case .unchanged: value
        case .cleared: nil
        case .set(let new): new
        }
    }

    /// This change with a transformed value, for example a sealed value instead of an unsealed one.
    public func map<Other, Failure: Error>(_ transform: (Value) throws(Failure) -> Other) throws(Failure) -> FieldChange<Other> {
        switch self {
        case .unchanged: .unchanged
        case .cleared: .cleared
        case .set(let value): .set(try transform(value))
        }
    }

    /// This change, or `.unchanged` if it would leave the field as it is.
    func beyond(_ value: Value?) -> Self {
        applied(to: value) == value ? .unchanged : self
    }
}

/// A person changed their profile. The event contains every field of the profile; in logs of older releases it contains only the changed
/// fields.
public struct ProfileEdited: Hashable, Sendable {
    public let account: AccountID
    public let change: ProfileChange

    public init(account: AccountID, change: ProfileChange) {
        self.account = account
        self.change = change
    }
}
