/// What a person says of themselves, each field sealed under their own key; `nil` where they say nothing.
public struct Profile: Hashable, Sendable {
    public var nickname: Sealed?
    /// The id of an image.
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
