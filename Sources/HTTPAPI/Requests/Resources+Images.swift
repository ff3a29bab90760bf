import CommandService
import Images
import Loyalty
import LoyaltyCodec

/// The images that requests name. Decisions take their ids on trust, so this is the one place where they are looked up.
///
/// Only who has sent a picture may name it. Else anybody could keep it from being taken down, or show what somebody else answers for.
extension Resources {
    /// - Parameters:
    ///   - account: who is about to show it.
    ///   - shown: what the field shows now, which may be said again whoever sent it.
    /// - Throws: `invalidRequest` for what is no image, or not the account's.
    func image(
        named text: String, in field: String, for account: AccountID, besides shown: () throws -> [ImageID] = { [] }
    ) throws -> ImageID {
        guard let id = ImageID(text: text), try isNameable(id, by: account, besides: shown) else {
            throw Problem.invalid(field, "must be an image that was uploaded")
        }
        return id
    }

    /// - Throws: `invalidRequest` where any of them is no image, or not the account's.
    func images(
        named texts: [String], in field: String, for account: AccountID, besides shown: () throws -> [ImageID] = { [] }
    ) throws -> [ImageID] {
        try texts.map { try image(named: $0, in: field, for: account, besides: shown) }
    }

    /// Whether an account may name a picture where `shown` is shown now.
    func isNameable(_ id: ImageID, by account: AccountID, besides shown: () throws -> [ImageID]) throws -> Bool {
        if service.holdImage(id, by: account) { return true }
        return try service.images.has(id) && shown().contains(id)
    }
}
