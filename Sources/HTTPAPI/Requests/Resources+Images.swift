import CommandService
import Loyalty
import LoyaltyCodec

/// The images that requests name. Decisions take their ids on trust, so this is the one place where they are looked up.
extension Resources {
    /// - Parameter account: who is about to show it.
    /// - Throws: `invalidRequest` for what is no image.
    func image(named text: String, in field: String, for account: AccountID) throws -> ImageID {
        guard let id = ImageID(text: text), service.holdImage(id, by: account) else {
            throw Problem.invalid(field, "must be an image that was uploaded")
        }
        return id
    }

    /// - Throws: `invalidRequest` where any of them is no image.
    func images(named texts: [String], in field: String, for account: AccountID) throws -> [ImageID] {
        try texts.map { try image(named: $0, in: field, for: account) }
    }
}
