public import CommandService
import EventLog
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Changes the caller's profile, sealed field by field under the account's own key.
    ///
    /// - Parameter expected: only the holder edits a profile, so `any` cannot overwrite another person's edit.
    public func editProfile(
        _ draft: ProfileDraft, expecting expected: ExpectedVersion = .any, by caller: Caller
    ) async throws(ServiceError) -> Acceptance {
        let account = caller.account
        let change = ProfileChange(
            nickname: try await sealed(draft.nickname.map { $0.asName }, as: .nickname, of: account),
            avatar: try await sealed(draft.avatar.map { $0.text }, as: .avatar, of: account),
            gender: try await sealed(draft.gender, as: .gender, of: account),
            birthday: try await sealed(draft.birthday, as: .birthday, of: account),
            city: try await sealed(draft.city.map { $0.asName }, as: .city, of: account))
        return try await submit(.editProfile(EditProfile(change: change, expected: expected)), by: caller)
    }

    /// All fields are `nil` if the account's key was destroyed.
    public func profile(of account: Account) throws(ServiceError) -> OpenProfile {
        var profile = OpenProfile()
        profile.nickname = try open(account.profile.nickname, as: .nickname, of: account.id)
        profile.avatar = try open(account.profile.avatar, as: .avatar, of: account.id).flatMap { ImageID(text: $0) }
        profile.gender = try open(account.profile.gender, as: .gender, of: account.id)
        profile.birthday = try open(account.profile.birthday, as: .birthday, of: account.id)
        profile.city = try open(account.profile.city, as: .city, of: account.id)
        return profile
    }

    private func open(_ sealed: Sealed?, as field: SealedField, of account: AccountID) throws(ServiceError) -> String? {
        guard let sealed else { return nil }
        return try open(sealed, as: field, of: account)
    }

    private func sealed(
        _ change: FieldChange<String>, as field: SealedField, of account: AccountID
    ) async throws(ServiceError) -> FieldChange<Sealed> {
        switch change {
        case .unchanged: .unchanged
        case .cleared: .cleared
        case .set(let text): .set(try seal(text, as: field, of: account))
        }
    }
}

/// An edit of a profile before it is sealed.
public struct ProfileDraft: Hashable, Sendable {
    public var nickname: FieldChange<String> = .unchanged
    public var avatar: FieldChange<ImageID> = .unchanged
    public var gender: FieldChange<String> = .unchanged
    /// YYYY-MM-DD.
    public var birthday: FieldChange<String> = .unchanged
    public var city: FieldChange<String> = .unchanged

    public init() {}
}

/// A person's profile, decrypted; `nil` for an empty field.
public struct OpenProfile: Hashable, Sendable {
    public var nickname: String?
    public var avatar: ImageID?
    public var gender: String?
    /// YYYY-MM-DD.
    public var birthday: String?
    public var city: String?
}
