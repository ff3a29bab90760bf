import Crypto
import CryptoExtras
import Foundation
public import Loyalty

/// A stored password: method, cost, salt and slow hash, in one line of text in the form of PHC strings.
///
/// The stored hash is an HMAC over a fixed label, and its key is scrypt's output. This is as strong as scrypt's output itself, and the
/// library can compare it in constant time.
///
/// Salt and hash are in the log, sealed under the account's key. So a reader of the log cannot test passwords, and erasing the account
/// erases the hash. The log also has hashes of requests, which are computed without the passwords in the requests.
package struct PasswordHash: Equatable {
    /// The length of a salt in bytes, the minimum of NIST SP 800-132.
    package static let saltBytes = 16
    private static let hashBytes = 32
    private static let method = "scrypt-hmac"
    private static let label = Data("greentea/v1/password".utf8)

    let cost: PasswordCost
    let salt: [UInt8]
    let hash: [UInt8]

    /// Hashes a password on the calling thread. Hashing takes the memory and the time that `cost` demands.
    init(_ password: String, salt: [UInt8], cost: PasswordCost) throws {
        let code = HMAC<SHA256>.authenticationCode(for: Self.label, using: try Self.key(password, salt, cost))
        self.init(cost: cost, salt: salt, hash: Array(code))
    }

    /// Reads a stored hash from the form that ``text`` has; nil for any other text.
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

    private init(cost: PasswordCost, salt: [UInt8], hash: [UInt8]) {
        (self.cost, self.salt, self.hash) = (cost, salt, hash)
    }

    /// The stored form of the hash: one line, without spaces.
    var text: String {
        let (salt, hash) = (Data(salt).base64EncodedString(), Data(hash).base64EncodedString())
        return "$\(Self.method)$ln=\(cost.log2N),r=\(cost.r),p=\(cost.p)$\(salt)$\(hash)"
    }

    /// Whether a password is the one that was hashed. The check of a wrong password takes as long as that of the right one.
    func matches(_ password: String) throws -> Bool {
        let key = try Self.key(password, salt, cost)
        return HMAC<SHA256>.isValidAuthenticationCode(Data(hash), authenticating: Self.label, using: key)
    }

    /// Derives a key from a password by scrypt. The password's characters are composed first, so that an accent typed in two ways gives the
    /// same password (RFC 8265, 4.2).
    private static func key(_ password: String, _ salt: [UInt8], _ cost: PasswordCost) throws -> SymmetricKey {
        let bytes = Array(password.precomposedStringWithCanonicalMapping.utf8)
        return try KDF.Scrypt.deriveKey(
            from: bytes, salt: salt, outputByteCount: hashBytes, rounds: 1 << cost.log2N, blockSize: cost.r, parallelism: cost.p)
    }
}

/// The cost of hashing a password with scrypt (RFC 7914): memory is 128 · 2^log2N · r bytes, and time grows with memory and with p.
public struct PasswordCost: Hashable, Sendable {
    /// The binary logarithm of scrypt's cost parameter N.
    public let log2N: Int
    /// The block size of scrypt, in units of 128 bytes.
    public let r: Int
    /// The parallelism parameter of scrypt. The parallel parts are computed one after another here.
    public let p: Int

    public init(log2N: Int, r: Int = 8, p: Int = 1) {
        self.log2N = log2N
        self.r = r
        self.p = p
    }

    /// The cost of new hashes: N = 2^14, r = 8, p = 5, which takes 16 MiB. OWASP's Password Storage Cheat Sheet rates it as equal to
    /// N = 2^17, r = 8, p = 1, which takes 128 MiB.
    ///
    /// The smaller memory is chosen because the allocator keeps 16 MiB from one hash to the next, but returns 128 MiB to the system after
    /// each hash. The system then has to clear 128 MiB of pages for every hash, which takes processor time from requests.
    public static let current = PasswordCost(log2N: 14, p: 5)

    /// Whether the cost is within limits, so that a stored hash cannot demand more than 1 GiB of memory or hours of time.
    var isBearable: Bool {
        (1...20).contains(log2N) && (1...8).contains(r) && (1...16).contains(p)
    }
}

/// The proof that the caller is allowed to set a password.
public enum PasswordProof: Sendable {
    /// The account's present password.
    case current(String)
    /// A code sent to the account's own number, and the network of the request. A code serves if the password is forgotten. A code is
    /// required for the first password, because a person who holds a signed-in phone for a minute must not be able to take over the
    /// account.
    case code(String, from: SignInNetwork)
}

/// A new password, and the proof that the caller is allowed to set it.
///
/// The parts are passed as one value because of a defect of Swift 6.3.1: on x86-64, a debug build crashes on return from an asynchronous
/// function whose arguments need the stack.
public struct PasswordChange: Sendable {
    public let new: String
    public let proof: PasswordProof
    /// The session that stays open when the password changes; all other sessions of the account end.
    public let keeping: SessionID

    public init(to new: String, _ proof: PasswordProof, keeping: SessionID) {
        self.new = new
        self.proof = proof
        self.keeping = keeping
    }
}
