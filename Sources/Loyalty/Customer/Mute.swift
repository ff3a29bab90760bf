/// An account's wish to get no notices from a shop: either so or not so, and nothing else about it.
public struct Mute: Hashable, Sendable {
    public let account: AccountID
    public let shop: ShopID

    public init(account: AccountID, shop: ShopID) {
        self.account = account
        self.shop = shop
    }
}

/// Somebody wants no notices from a shop. What it posts from here on they do not get, also not later.
public struct ShopMuted: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}

/// Somebody wants a shop's notices again: those that it posts from here on.
public struct ShopUnmuted: Hashable, Sendable {
    public let shop: ShopID
    public let account: AccountID

    public init(shop: ShopID, account: AccountID) {
        self.shop = shop
        self.account = account
    }
}

/// Stretches of the log in which an account had muted a shop, oldest first.
public struct MutedStretches: Hashable, Sendable {
    /// One stretch: a notice between its two ends is not received.
    public struct Stretch: Hashable, Sendable {
        /// Position of the muting.
        public let after: UInt64
        /// Position of the end of the muting; `UInt64.max` as long as it lasts.
        public var before: UInt64

        public init(after: UInt64, before: UInt64) {
            self.after = after
            self.before = before
        }
    }

    public private(set) var stretches: [Stretch]

    public init(_ stretches: [Stretch] = []) { self.stretches = stretches }

    public var isMuted: Bool { stretches.last?.before == .max }

    /// Begins a stretch; does nothing while one lasts.
    public mutating func mute(at position: UInt64) {
        if !isMuted { stretches.append(Stretch(after: position, before: .max)) }
    }

    /// Ends the stretch that lasts, where there is one.
    public mutating func unmute(at position: UInt64) {
        if isMuted { stretches[stretches.count - 1].before = position }
    }

    /// Forgets the newest stretch, for one in which the shop posted nothing.
    public mutating func dropLast() {
        if !stretches.isEmpty { stretches.removeLast() }
    }

    /// Whether a notice posted at this position fell into one of them.
    public func contains(_ position: UInt64) -> Bool {
        stretches.contains { $0.after < position && position < $0.before }
    }
}
