/// What hashing a password costs with scrypt (RFC 7914): memory is 128 · 2^log2N · r bytes, and time grows with p.
public struct PasswordCost: Hashable, Sendable {
    /// Binary logarithm of N.
    public let log2N: Int
    /// Block size.
    public let r: Int
    /// Parallelism; done one after the other here.
    public let p: Int

    public init(log2N: Int, r: Int = 8, p: Int = 1) {
        self.log2N = log2N
        self.r = r
        self.p = p
    }

    /// OWASP's Password Storage Cheat Sheet: N = 2^17, r = 8, p = 1; 128 MiB.
    public static let current = PasswordCost(log2N: 17)

    /// Nothing that was stored may ask for more: 1 GiB, or hours.
    var isBearable: Bool {
        (1...20).contains(log2N) && (1...8).contains(r) && (1...16).contains(p)
    }
}
