import Crypto
import CryptoExtras
import Foundation
public import Loyalty

/// A stored password: method, cost, salt and slow hash, as a PHC string.
///
/// The hash is an HMAC under scrypt's output, because the library compares HMACs in constant time. It is sealed in the log under the
/// account's key.
package struct PasswordHash: Equatable {
    /// The minimum of NIST SP 800-132.
    package static let saltBytes = 16
    private static let hashBytes = 32
    private static let method = "scrypt-hmac"
    private static let label = Data("greentea/v1/password".utf8)

    let cost: PasswordCost
    let salt: [UInt8]
    let hash: [UInt8]

    init(_ password: String, salt: [UInt8], cost: PasswordCost) throws {
        let code = HMAC<SHA256>.authenticationCode(for: Self.label, using: try Self.key(password, salt, cost))
        self.init(cost: cost, salt: salt, hash: Array(code))
    }

    package init?(text: String) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == Self.method else { return nil }
        let numbers = parts[2].split(separator: ",").compactMap { Int($0.drop { !$0.isNumber }) }
        guard numbers.count == 3, let salt = Data(base64Encoded: String(parts[3])), let hash = Data(base64Encoded: String(parts[4])),
            hash.count == Self.hashBytes
        else { return nil }
        let cost = PasswordCost(log2N: numbers[0], r: numbers[1], p: numbers[2])
        guard cost.isBearable else { return nil }
        self.init(cost: cost, salt: Array(salt), hash: Array(hash))
    }

    private init(cost: PasswordCost, salt: [UInt8], hash: [UInt8]) { (self.cost, self.salt, self.hash) = (cost, salt, hash) }

    var text: String {
        let (salt, hash) = (Data(salt).base64EncodedString(), Data(hash).base64EncodedString())
        return "$\(Self.method)$ln=\(cost.log2N),r=\(cost.r),p=\(cost.p)$\(salt)$\(hash)"
    }

    /// Compared in constant time.
    func matches(_ password: String) throws -> Bool {
        let key = try Self.key(password, salt, cost)
        return HMAC<SHA256>.isValidAuthenticationCode(Data(hash), authenticating: Self.label, using: key)
    }

    /// Derives a key by scrypt. Characters are composed first, so that an accent typed in two ways gives the same password (RFC 8265, 4.2).
    private static func key(_ password: String, _ salt: [UInt8], _ cost: PasswordCost) throws -> SymmetricKey {
        let bytes = Array(password.precomposedStringWithCanonicalMapping.utf8)
        return try KDF.Scrypt.deriveKey(
            from: bytes, salt: salt, outputByteCount: hashBytes, rounds: 1 << cost.log2N, blockSize: cost.r, parallelism: cost.p)
    }
}

/// The cost of hashing a password with scrypt (RFC 7914): memory is 128 · 2^log2N · r bytes, and time grows with memory and with p.
public struct PasswordCost: Hashable, Sendable {
    public let log2N: Int
    public let r: Int
    public let p: Int

    public init(log2N: Int, r: Int = 8, p: Int = 1) { (self.log2N, self.r, self.p) = (log2N, r, p) }

    /// 16 MiB, which OWASP's Password Storage Cheat Sheet rates as equal to N = 2^17, r = 8, p = 1 with 128 MiB. The allocator keeps 16 MiB
    /// from hash to hash, but the system would clear 128 MiB for each.
    public static let current = PasswordCost(log2N: 14, p: 5)

    var isBearable: Bool { (1...20).contains(log2N) && (1...8).contains(r) && (1...16).contains(p) }
}

/// The proof that the caller is allowed to set a password.
public enum PasswordProof: Sendable {
    case current(String)
    /// A code sent to the account's number, and the network of the request. The first password requires one, so that a minute with a
    /// signed-in phone does not suffice to take over the account.
    case code(String, from: SignInNetwork)
}

/// A new password, and the proof that the caller may set it.
///
/// They are one value because of a defect of Swift 6.3.1: on x86-64, a debug build crashes on return from an asynchronous function whose
/// arguments need the stack.
public struct PasswordChange: Sendable {
    public let new: String
    public let proof: PasswordProof
    public let keeping: SessionID

    public init(to new: String, _ proof: PasswordProof, keeping: SessionID) { (self.new, self.proof, self.keeping) = (new, proof, keeping) }
}
