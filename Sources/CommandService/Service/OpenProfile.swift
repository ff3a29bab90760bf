public import Loyalty

/// What a person says of themselves, in the clear; `nil` for what they do not say.
public struct OpenProfile: Hashable, Sendable {
    public var nickname: String?
    public var avatar: ImageID?
    public var gender: String?
    /// YYYY-MM-DD.
    public var birthday: String?
    public var city: String?
}
