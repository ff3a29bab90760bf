/// Somebody took a picture down: its bytes are removed, whatever still names it.
public struct ImageTakenDown: Hashable, Sendable {
    public let image: ImageID
    /// Whether an operator did it, so that the same bytes are not taken in again; else whoever shows it did.
    public let byOperator: Bool

    public init(image: ImageID, byOperator: Bool) {
        self.image = image
        self.byOperator = byOperator
    }
}
