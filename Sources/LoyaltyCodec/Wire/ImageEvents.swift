public import EventLog
public import Loyalty

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A shop's images, in order in the payload and as tags for the tag index. A record whose two lists differ is refused.
enum WireImages {
    static func data(_ images: [ImageID]) throws(CodecError) -> [Data] {
        guard WireRange.images.contains(images.count), Set(images).count == images.count else {
            throw CodecError(.fieldOutOfRange, "\(images.count) images, not up to \(WireRange.images.upperBound) different ones")
        }
        return images.map { Data($0.value.bigEndianBytes) }
    }

    /// Ascending, as records require.
    static func tags(_ images: [ImageID]) -> [Tag] { images.sorted().map { Tag(.image, $0.value) } }

    /// Throws unless each image is also a tag, and exactly `count` tags are not images.
    ///
    /// - Parameter logo: not among the images of the answer; empty for none.
    static func images(
        _ data: [Data], with logo: Data = Data(), of event: some StoredEvent & ~Escapable, besides count: Int
    ) throws(CodecError) -> [ImageID] {
        var images: [ImageID] = []
        for bytes in data {
            guard let value = UInt128(bigEndianBytes: bytes) else {
                throw CodecError(.fieldOutOfRange, "an image has \(bytes.count) bytes, not 16")
            }
            images.append(ImageID(value))
        }
        _ = try Self.data(images)
        let tagged = Set(images).union(try WireBytes.id(logo, "logo").map { [ImageID($0)] } ?? [])
        for image in tagged where !event.has(Tag(.image, image.value)) {
            throw CodecError(.wrongTags, "an image of the payload is no tag of the event")
        }
        try event.expectTags(count + tagged.count)
        return images
    }
}

extension ShownPictures {
    /// The events that ``Loyalty/ShownPictures/apply(_:)`` reads.
    public static let types: Set<EventType> = [.shopOpened, .shopEdited, .shopClosed, .campaignPublished, .campaignEdited, .imageTakenDown]

    public init(of log: EventLog) throws {
        self.init()
        try log.scan { position, record in
            if Self.types.contains(record.type) { apply(try LoyaltyCodec.decode(record, at: position)) }
            return true
        }
    }
}
