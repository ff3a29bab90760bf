internal import Crypto

/// HMAC-SHA256 under one key, with the key's own two blocks hashed beforehand.
///
/// A stamp takes three of these; preparing the key each time would cost more than the message does.
struct HashKey: Sendable {
    private let prepared: HMAC<SHA256>

    init(_ key: [UInt8]) {
        prepared = HMAC(key: SymmetricKey(data: key))
    }

    /// All 32 bytes.
    func hash(_ message: [UInt8]) -> [UInt8] {
        code(message).bytes
    }

    /// The first 128 bits.
    func number(_ message: [UInt8]) -> UInt128 {
        code(message).prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
    }

    private func code(_ message: [UInt8]) -> HMAC<SHA256>.MAC {
        var hmac = prepared
        hmac.update(data: message)
        return hmac.finalize()
    }
}

extension HMAC<SHA256>.MAC {
    /// The 32 bytes, as an array that grows once: the sequence does not know its length.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for byte in self { bytes.append(byte) }
        return bytes
    }
}
