/// A picture or a thumbnail of it, as a file.
public struct ShownImage: Hashable, Sendable {
    public let format: ImageFormat
    public let bytes: [UInt8]
    /// Names these very bytes: the picture's file and, of a thumbnail, its width.
    public let tag: String
    /// The picture's.
    public let name: ImageName
}
