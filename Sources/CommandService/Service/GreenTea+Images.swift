import EventLog
public import Images
public import Loyalty
import LoyaltyCodec

extension GreenTea {
    /// Takes in a picture; see ``ImageStore/add(_:at:)``. The same one again is the same answer again.
    ///
    /// No event tells of it, so what its idempotency key was used for is remembered as for requests that changed nothing: for a day at the
    /// most, see ``IdleRequests``.
    ///
    /// - Throws: ``ImageError``; ``ServiceError/idempotencyKeyReused``.
    public func addImage(_ bytes: [UInt8], by caller: Caller) async throws -> StoredImage {
        if let mark = caller.mark {
            let isReused = try idle.find(mark).map { !$0.isSame } ?? reading { try $0.facts(ofRequest: mark.request) != nil }
            if isReused { throw ServiceError.idempotencyKeyReused }
        }
        let image = try await images.add(bytes, at: clock.now())
        if let mark = caller.mark { try idle.note(mark, at: log.head) }
        return image
    }

    /// Whether there is such a picture, for somebody who is about to refer to it: it stays for another day, see ``ImageStore/hold(_:at:)``.
    public func holdImage(_ id: ImageID) -> Bool { images.hold(id, at: clock.now()) }

    /// Removes pictures that were sent or named more than a day ago and that no event refers to and nobody shows of themselves. Waits
    /// for the disk, on a thread of its own.
    ///
    /// - Returns: how many went.
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read.
    @discardableResult
    public func sweepImages() async throws(ServiceError) -> Int {
        let since = clock.now().advanced(bySeconds: -ImageLimits.unusedSecondsMax)
        do {
            return try await blocking { [self] in
                // What somebody shows of themselves is sealed, so that no tag tells of it: all profiles are looked at, once, if need be.
                var avatars: Set<ImageID>?
                return try images.sweep(unusedSince: since) { image in
                    if try Self.refers(log, to: image) { return true }
                    let shown = try avatars ?? avatarsInUse()
                    avatars = shown
                    return shown.contains(image)
                }
            }
        } catch {
            throw .failed(String(describing: error))
        }
    }

    /// Whether an event names the picture: answers that were given must stay true, so one that did for a while counts as well.
    private static func refers(_ log: EventLog, to image: ImageID) throws -> Bool {
        try log.lastPosition(of: Tag(kind: .image, value: image.value)) != nil
    }
}
