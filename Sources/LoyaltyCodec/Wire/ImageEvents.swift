public import EventLog
public import Loyalty

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The images of a shop, which its events store twice: in the payload and as tags.
///
/// The payload has the order of the images. The tags are needed because the tag index finds an image's events by them. A record whose two
/// lists differ is refused.
enum WireImages {
    static func data(_ images: [ImageID]) throws(CodecError) -> [Data] {
        guard WireRange.images.contains(images.count), Set(images).count == images.count else {
            throw CodecError(.fieldOutOfRange, "\(images.count) images, not up to \(WireRange.images.upperBound) different ones")
        }
        return images.map { Data($0.value.bigEndianBytes) }
    }

    /// The tags of images, in ascending order, as records require for tags.
    static func tags(_ images: [ImageID]) -> [Tag] {
        images.sorted().map { Tag(.image, $0.value) }
    }

    /// Reads the images of a payload. Throws unless each image is also a tag of the event, and the event has exactly `count` tags that are
    /// not images.
    static func images(
        _ data: [Data], of event: some StoredEvent & ~Escapable, besides count: Int
    ) throws(CodecError) -> [ImageID] {
        var images: [ImageID] = []
        for bytes in data {
            guard let value = UInt128(bigEndianBytes: bytes) else {
                throw CodecError(.fieldOutOfRange, "an image has \(bytes.count) bytes, not 16")
            }
            images.append(ImageID(value))
        }
        _ = try Self.data(images)
        for image in images where !event.has(Tag(.image, image.value)) {
            throw CodecError(.wrongTags, "an image of the payload is no tag of the event")
        }
        try event.expectTags(count + images.count)
        return images
    }
}

extension ShownPictures {
    /// The types of the events that ``Loyalty/ShownPictures/apply(_:)`` reads.
    public static let types: Set<EventType> = [
        .shopOpened, .shopEdited, .shopClosed, .campaignPublished, .campaignEdited, .imageTakenDown,
    ]

    /// Reads a log from its first event to its head.
    public init(of log: EventLog) throws {
        self.init()
        try log.scan { position, record in
            if Self.types.contains(record.type) { apply(try LoyaltyCodec.decode(record, at: position)) }
            return true
        }
    }
}
