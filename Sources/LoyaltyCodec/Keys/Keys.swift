internal import Crypto
public import Loyalty

/// Every key that the service hashes, signs and wraps with, derived from the master secret once at start. One object, since each request
/// asks it for hashes.
///
/// Codes are derived from ids, not drawn: a retry of the same command shows the same code, and the log needs to hold none.
public final class Keys: Sendable, Confidential {
    private let stampCode: HashKey
    private let stampSecret: HashKey
    private let redemptionCode: HashKey
    private let redemptionSecret: HashKey
    private let phone: HashKey
    private let token: HashKey
    private let tokenMark: HashKey
    private let request: HashKey
    private let digest: HashKey
    let authorHandle: HashKey
    let phoneGuess: HashKey
    let picture: HashKey
    let phoneName: HashKey
    let wrapping: SymmetricKey
    /// What everything but the wrapping of data keys is derived from.
    let root: MasterSecret

    /// The 32-byte seed of the Ed25519 key that signs access tokens (RFC 8032).
    public let tokenSigningSeed: [UInt8]

    /// The 32-byte seed of the Ed25519 key that signs the log's checkpoints.
    public let checkpointSeed: [UInt8]

    /// Derives all of them; some ten hashes.
    public convenience init(_ master: MasterSecret) {
        self.init(root: master, master: master)
    }

    /// Derives what may never change from `root`, and what data keys are wrapped with from `master`.
    ///
    /// Codes, look-ups, refresh tokens and the log's signatures must outlive a master secret; see `Keys+Root.swift`.
    init(root: MasterSecret, master: MasterSecret) {
        self.root = root
        stampCode = HashKey(root.derive(.stampCode))
        stampSecret = HashKey(root.derive(.stampSecret))
        redemptionCode = HashKey(root.derive(.redemptionCode))
        redemptionSecret = HashKey(root.derive(.redemptionSecret))
        phone = HashKey(root.derive(.phone))
        token = HashKey(root.derive(.token))
        tokenMark = HashKey(root.derive(.tokenMark))
        request = HashKey(root.derive(.request))
        digest = HashKey(root.derive(.digest))
        authorHandle = HashKey(root.derive(.authorHandle))
        phoneGuess = HashKey(root.derive(.phoneGuess))
        picture = HashKey(root.derive(.picture))
        phoneName = HashKey(root.derive(.phoneName))
        wrapping = SymmetricKey(data: master.derive(.wrapping))
        tokenSigningSeed = root.derive(.tokenSigning)
        checkpointSeed = root.derive(.checkpoint)
    }

    /// The code that is shown for an id. `attempt`, 0 to 255, is above 0 only after another id's code turned out the same.
    public func stampCode(for id: CodeID, attempt: Int) -> TypedCode {
        Self.code(under: stampCode, for: id.value, attempt: attempt)
    }

    /// As `stampCode(for:attempt:)`, under a key of its own.
    public func redemptionCode(for id: RedemptionID, attempt: Int) -> TypedCode {
        Self.code(under: redemptionCode, for: id.value, attempt: attempt)
    }

    /// What the log holds of a stamp code.
    public func secret(ofStampCode code: TypedCode) -> Secret {
        Secret(stampSecret.number(code.bytes))
    }

    /// What the log holds of a redemption code.
    public func secret(ofRedemptionCode code: TypedCode) -> Secret {
        Secret(redemptionSecret.number(code.bytes))
    }

    /// The hash of a phone number by which accounts of older releases are found in the log. Newer accounts have
    /// ``secret(inPlaceOfPhone:)``. The caller brings the number to one form (E.164) first.
    ///
    /// - Parameter generation: how many accounts of this number were erased before. Each had a hash of its own, so that the log does not
    ///   tell that a new account and an erased one had the same number.
    public func secret(ofPhone number: String, generation: UInt32 = 0) -> Secret {
        let text = Array(number.utf8)
        guard generation > 0 else { return Secret(phone.number(text)) }
        // The hash in place of the number: no other text can begin with it by design.
        var message = phone.hash(text)
        for shift in [24, 16, 8, 0] as [UInt32] { message.append(UInt8(truncatingIfNeeded: generation >> shift)) }
        return Secret(phone.number(message))
    }

    /// What the log holds of a refresh token.
    public func secret(ofToken text: String) -> Secret {
        Secret(token.number(Array(text.utf8)))
    }

    /// The last 48 bits of a session's refresh token, which follow from the 80 before them: so a token shows by itself, without a look at
    /// all that there were, that it was given out for this session.
    public func markedToken(_ random: UInt128, of session: SessionID) -> UInt128 {
        let free = random >> 48
        return free << 48 | tokenMark.number(session.value.bigEndianBytes + free.bigEndianBytes) >> 80
    }

    /// The marks of a request: `key` is the client's idempotency key, `content` its canonical bytes (method, path, body).
    public func mark(account: AccountID, key: String, content: [UInt8]) -> RequestMark {
        var name: [UInt8] = []
        name.reserveCapacity(16 + key.utf8.count)
        account.value.appendBigEndian(to: &name)
        name.append(contentsOf: key.utf8)
        return RequestMark(request: request.number(name), digest: digest.number(content))
    }

    /// The first 40 bits of HMAC(id ‖ attempt as four bytes, most significant first).
    private static func code(under key: HashKey, for id: UInt128, attempt: Int) -> TypedCode {
        var message = id.bigEndianBytes
        for shift in [24, 16, 8, 0] { message.append(UInt8(truncatingIfNeeded: attempt >> shift)) }
        return TypedCode(firstBitsOf: key.hash(message))
    }
}
