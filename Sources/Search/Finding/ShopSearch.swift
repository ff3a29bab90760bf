/// Which shops to find: the nearest first where a place is named, else the newest first.
public struct ShopSearch: Sendable {
    public var near: Near?
    /// What was typed, at most ``SearchLimits/queryCharactersMax`` characters; only what all of it matches is found.
    public var text: String?

    public init(near: Near? = nil, text: String? = nil) {
        self.near = near
        self.text = text
    }
}
