/// The looks of a shop on cards, pages and paper. They are public, so events store them unsealed.
public struct ShopLook: Hashable, Sendable {
    public static let plain = ShopLook()

    public var color: ShopColor?
    /// Beside the shop's images; one of these may be the logo too.
    public var logo: ImageID?

    public init(color: ShopColor? = nil, logo: ImageID? = nil) { (self.color, self.logo) = (color, logo) }
}

/// A color that a shop may choose. The style sheet has its tones, each readable on a light or dark page.
public enum ShopColor: UInt8, Hashable, Sendable, CaseIterable {
    case red = 1
    case orange, amber, olive, green, teal, cyan, blue, indigo, violet, pink, brown

    /// Part of the API.
    public var name: String { "\(self)" }

    public init?(named name: String) {
        guard let color = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = color
    }
}
