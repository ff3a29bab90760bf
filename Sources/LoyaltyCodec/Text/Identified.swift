public import Loyalty

/// A noun whose ids people and clients see.
public protocol Identified {
    /// What its ids begin with, without the `_`. Part of the API: never changed, no two nouns the same.
    static var idPrefix: String { get }
}

extension Account: Identified {
    public static var idPrefix: String { "acct" }
}

extension Shop: Identified {
    public static var idPrefix: String { "shop" }
}

extension Campaign: Identified {
    public static var idPrefix: String { "camp" }
}

extension Code: Identified {
    public static var idPrefix: String { "code" }
}

extension Card: Identified {
    public static var idPrefix: String { "card" }
}

extension Redemption: Identified {
    public static var idPrefix: String { "rdm" }
}

extension Review: Identified {
    public static var idPrefix: String { "rev" }
}

extension Image: Identified {
    public static var idPrefix: String { "img" }
}

extension Notice: Identified {
    public static var idPrefix: String { "ntc" }
}

extension Invitation: Identified {
    public static var idPrefix: String { "inv" }
}

extension Session: Identified {
    public static var idPrefix: String { "ses" }
}
