/// An account and a shop whose notices it may have muted.
public struct Mute: Hashable, Sendable {
    public let account: AccountID
    public let shop: ShopID

    public init(account: AccountID, shop: ShopID) { (self.account, self.shop) = (account, shop) }
}

/// Ranges of log positions in which an account had muted a shop, oldest first.
public struct MutedStretches: Hashable, Sendable {
    /// Notices between the two ends do not reach the account.
    public struct Stretch: Hashable, Sendable {
        public let after: UInt64
        /// `UInt64.max` while the shop is muted.
        public var before: UInt64

        public init(after: UInt64, before: UInt64) { (self.after, self.before) = (after, before) }
    }

    public private(set) var stretches: [Stretch]

    public init(_ stretches: [Stretch] = []) { self.stretches = stretches }

    public var isMuted: Bool { stretches.last?.before == .max }

    /// Does nothing if the shop is muted already.
    public mutating func mute(at position: UInt64) { if !isMuted { stretches.append(Stretch(after: position, before: .max)) } }

    public mutating func unmute(at position: UInt64) { if isMuted { stretches[stretches.count - 1].before = position } }

    /// The caller MUST know that the shop posted no notice within the range.
    public mutating func dropLast() { if !stretches.isEmpty { stretches.removeLast() } }

    public func contains(_ position: UInt64) -> Bool { stretches.contains { $0.after < position && position < $0.before } }
}
