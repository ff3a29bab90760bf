public import Loyalty

/// A picture that is kept.
public struct StoredImage: Hashable, Sendable {
    public let id: ImageID
    /// In pixels, as it is kept.
    public let width: Int
    public let height: Int
}
