internal import Crypto

/// HMAC-SHA256 (RFC 2104) under one key, with the key's own two blocks hashed beforehand.
///
/// A stamp takes some six of these. The library's `HMAC` gives the same and is not specialized for what it hashes: it looked for types
/// longer than it hashed, and was a twelfth of a stamp's processor time; this takes half of that.
struct HashKey: Sendable {
    /// Bytes of a block of SHA-256.
    private static let blockLength = 64

    /// What has hashed the key's inner block, and its outer one.
    private let inner: SHA256
    private let outer: SHA256

    init(_ key: [UInt8]) {
        var block = key.count > Self.blockLength ? Array(SHA256.hash(data: key)) : key
        block += Array(repeating: 0, count: Self.blockLength - block.count)
        var (inner, outer) = (SHA256(), SHA256())
        inner.update(data: block.map { $0 ^ 0x36 })
        outer.update(data: block.map { $0 ^ 0x5c })
        (self.inner, self.outer) = (inner, outer)
    }

    /// All 32 bytes.
    func hash(_ message: [UInt8]) -> [UInt8] {
        Array(code(message))
    }

    /// The first 128 bits.
    func number(_ message: [UInt8]) -> UInt128 {
        unsafe code(message).withUnsafeBytes { unsafe UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    private func code(_ message: [UInt8]) -> SHA256.Digest {
        var (inner, outer) = (inner, outer)
        inner.update(data: message)
        // As a sequence of bytes it would be an array first.
        unsafe inner.finalize().withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
        return outer.finalize()
    }
}
