import CommandService
import Images
import Loyalty
import LoyaltyCodec

/// The images that requests name. Decisions take their ids on trust, so this is the one place where they are looked up.
///
/// Only the sender of a picture may name it. Otherwise anybody could keep it from being taken down, or show what another answers for.
extension Resources {
    /// The id that a text in a request stands for.
    ///
    /// - Throws: `invalidRequest` for a text that is no image's id.
    static func image(named text: String, in field: String) throws(Problem) -> ImageID {
        guard let id = ImageID(text: text) else { throw notAnImage(field) }
        return id
    }

    /// Requires that the caller may name each of some images. A request that was answered before passes, because it gets the same answer
    /// again even if the image has gone since.
    ///
    /// - Parameter shown: the images that the field shows now. An edit may repeat them, whoever sent them.
    /// - Throws: `invalidRequest` for an image that does not exist, that an operator took down, or that somebody else sent.
    func requireNameable(_ images: [ImageID], in field: String, of caller: Caller, besides shown: () throws -> [ImageID] = { [] }) throws {
        let areNameable = try images.allSatisfy { image in
            if try service.holdImage(image, by: caller.account) { return true }
            return try service.hasImage(image) && shown().contains(image)
        }
        guard try areNameable || service.isAnswered(caller) else { throw Self.notAnImage(field) }
    }

    private static func notAnImage(_ field: String) -> Problem { .invalid(field, "must be an image that was uploaded") }
}
