public import Loyalty

/// An edit of a profile in the clear.
public struct ProfileDraft: Hashable, Sendable {
    public var nickname: FieldChange<String> = .unchanged
    public var avatar: FieldChange<ImageID> = .unchanged
    public var gender: FieldChange<String> = .unchanged
    /// YYYY-MM-DD.
    public var birthday: FieldChange<String> = .unchanged
    public var city: FieldChange<String> = .unchanged

    public init() {}
}
