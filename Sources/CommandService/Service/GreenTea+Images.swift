import EventLog
public import Images
import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Tags of events that show a picture.
    private static let imageKind = TagKind(rawValue: 16)

    /// Takes in a picture; see ``ImageStore/add(_:at:)``.
    ///
    /// - Throws: ``ImageError``.
    public func addImage(_ bytes: [UInt8]) async throws(ImageError) -> StoredImage {
        try await images.add(bytes, at: clock.now())
    }

    /// Removes pictures that were sent more than a day ago and that no event refers to. Waits for the disk, on a thread of its own.
    ///
    /// - Returns: how many went.
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read.
    @discardableResult
    public func sweepImages() async throws(ServiceError) -> Int {
        let since = clock.now().advanced(bySeconds: -ImageLimits.unusedSecondsMax)
        let (images, log) = (images, log)
        do {
            return try await blocking { try images.sweep(unusedSince: since) { try Self.refers(log, to: $0) } }
        } catch {
            throw .failed(String(describing: error))
        }
    }

    /// Whether an event names the picture: answers that were given must stay true, so one that did for a while counts as well.
    private static func refers(_ log: EventLog, to image: ImageID) throws -> Bool {
        // As long as no event of this program has such tags, nothing can refer to a picture.
        guard LoyaltySchema.schema.tagKinds[imageKind] != nil else { return false }
        let tag = Tag(kind: imageKind, value: image.value)
        return try log.lastPosition(of: tag) != nil
    }
}
