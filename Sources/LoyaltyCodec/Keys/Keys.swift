internal import Crypto
public import Loyalty

/// The keys for hashing, signing and wrapping, derived once from the root secret and the master secret.
///
/// Codes are derived from ids, so a retry shows the same code and the log need not store it.
///
/// The library's generic `HMAC` is not specialised across modules and takes twice as long, and a stamp needs six hashes. The tests use the
/// vectors of RFC 4231.
public final class Keys: Sendable, Confidential {
    private let stampCode: HashKey
    private let stampSecret: HashKey
    private let redemptionCode: HashKey
    private let redemptionSecret: HashKey
    private let phone: HashKey
    let paperCode: HashKey
    let paperSecret: HashKey
    let paperMark: HashKey
    private let token: HashKey
    private let tokenMark: HashKey
    private let request: HashKey
    private let digest: HashKey
    let authorHandle: HashKey
    let phoneGuess: HashKey
    let picture: HashKey
    let phoneName: HashKey
    let wrapping: SymmetricKey
    let root: MasterSecret

    /// For access tokens, Ed25519 (RFC 8032).
    public let tokenSigningSeed: [UInt8]

    /// For the log's checkpoints, Ed25519.
    public let checkpointSeed: [UInt8]

    /// For the entries of a log that several nodes share.
    public let entrySecret: [UInt8]

    /// For the signatures of requests between nodes.
    public let nodeSecret: [UInt8]

    public convenience init(_ master: MasterSecret) { self.init(root: master, master: master) }

    /// Codes, look-ups, refresh tokens and signatures must outlive a change of the master secret, so only the key that wraps data keys
    /// comes from `master`.
    init(root: MasterSecret, master: MasterSecret) {
        self.root = root
        stampCode = HashKey(root.derive(.stampCode))
        stampSecret = HashKey(root.derive(.stampSecret))
        redemptionCode = HashKey(root.derive(.redemptionCode))
        redemptionSecret = HashKey(root.derive(.redemptionSecret))
        phone = HashKey(root.derive(.phone))
        paperCode = HashKey(root.derive(.paperCode))
        paperSecret = HashKey(root.derive(.paperSecret))
        paperMark = HashKey(root.derive(.paperMark))
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
        entrySecret = root.derive(.entry)
        nodeSecret = root.derive(.node)
    }

    /// `attempt` is 0 to 255, above 0 only if the codes of all lower attempts belong to other ids.
    public func stampCode(for id: CodeID, attempt: Int) -> TypedCode { Self.code(under: stampCode, for: id.value, attempt: attempt) }

    /// Derived like ``stampCode(for:attempt:)`` under another key.
    public func redemptionCode(for id: RedemptionID, attempt: Int) -> TypedCode {
        Self.code(under: redemptionCode, for: id.value, attempt: attempt)
    }

    public func secret(ofStampCode code: TypedCode) -> Secret { Secret(stampSecret.number(code.bytes)) }

    public func secret(ofRedemptionCode code: TypedCode) -> Secret { Secret(redemptionSecret.number(code.bytes)) }

    /// The hash by which the log identifies accounts of older releases; newer ones have ``secret(inPlaceOfPhone:)``. The caller MUST
    /// normalise the number to E.164.
    ///
    /// - Parameter generation: the number's erased accounts so far, so that the log does not link a new account to an erased one.
    public func secret(ofPhone number: String, generation: UInt32 = 0) -> Secret {
        let text = Array(number.utf8)
        guard generation > 0 else { return Secret(phone.number(text)) }
        // The number is hashed first, so that no other number can give the same message.
        var message = phone.hash(text)
        for shift in [24, 16, 8, 0] as [UInt32] { message.append(UInt8(truncatingIfNeeded: generation >> shift)) }
        return Secret(phone.number(message))
    }

    public func secret(ofToken text: String) -> Secret { Secret(token.number(Array(text.utf8))) }

    /// A refresh token whose last 48 bits prove that it was issued for this session, so that no list of spent tokens has to be searched.
    public func markedToken(_ random: UInt128, of session: SessionID) -> UInt128 {
        let free = random >> 48
        return free << 48 | tokenMark.number(session.value.bigEndianBytes + free.bigEndianBytes) >> 80
    }

    /// - Parameter content: canonical: for HTTP, the method, the path and the body.
    public func mark(account: AccountID, key: String, content: [UInt8]) -> RequestMark {
        var name: [UInt8] = []
        name.reserveCapacity(17 + key.utf8.count + content.count)
        account.value.appendBigEndian(to: &name)
        name.append(contentsOf: key.utf8)
        let request = request.number(name)
        name.append(0)
        name.append(contentsOf: content)
        return RequestMark(request: request, digest: digest.number(name), formerDigest: { [digest] in digest.number(content) })
    }

    /// The first 40 bits of HMAC(id ‖ attempt as big-endian u32).
    static func code(under key: HashKey, for id: UInt128, attempt: Int) -> TypedCode {
        var message = id.bigEndianBytes
        for shift in [24, 16, 8, 0] { message.append(UInt8(truncatingIfNeeded: attempt >> shift)) }
        return TypedCode(firstBitsOf: key.hash(message))
    }
}

extension Keys {
    public static let handleSymbols = 16

    /// The author's name at one shop: 16 symbols of lower-case Crockford base 32.
    ///
    /// With the account's id, owners could offer the author work, and anybody could link reviews at different shops.
    public func handle(of account: AccountID, at shop: ShopID) -> String {
        let hash = authorHandle.hash(shop.value.bigEndianBytes + account.value.bigEndianBytes)
        var (text, bits, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in hash.prefix(10) {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(Crockford.lowerCase[Int(bits >> count & 31)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The id that an offer to an unregistered number names. No account ever gets it, because real ids contain the time of registration.
    public func nobody(withPhone number: String) -> AccountID { AccountID(phoneGuess.number(Array(number.utf8))) }

    // `phoneName` has three purposes. The first byte of each message separates them.

    /// The hash by which the key store finds a phone number. No event contains it, so even a reader with the root secret cannot find an
    /// account's number.
    public func phoneName(of number: String) -> UInt128 { phoneName.number([0] + Array(number.utf8)) }

    /// The secret in the event of a registration, which reveals nothing about the number. A repeated registration has the same secret.
    public func secret(inPlaceOfPhone account: AccountID) -> Secret { Secret(phoneName.number([1] + account.value.bigEndianBytes)) }

    /// Masks a value; masking again restores it.
    ///
    /// The key store masks its rows so that each row's bytes are unique in the file, and destroying one can zero all places with its bytes.
    public func masked(_ value: UInt128, salt: UInt128, row: UInt128) -> UInt128 {
        value ^ phoneName.number([2] + salt.bigEndianBytes + row.bigEndianBytes)
    }

    /// The id of a picture that an account uploads. Only the uploader can name it, because other accounts get other ids for the same bytes.
    public func picture(digest: [UInt8], sentBy account: AccountID) -> ImageID {
        ImageID(picture.number(account.value.bigEndianBytes + digest))
    }
}

/// The purpose of a derived key, as the HKDF `info`. Changing a label loses everything made under its key.
enum KeyLabel: String, CaseIterable {
    case stampCode = "greentea/v1/stamp-code"
    case stampSecret = "greentea/v1/stamp-secret"
    case redemptionCode = "greentea/v1/redemption-code"
    case redemptionSecret = "greentea/v1/redemption-secret"
    case phone = "greentea/v1/phone"
    case token = "greentea/v1/token"
    case tokenMark = "greentea/v1/token-mark"
    case request = "greentea/v1/request"
    case digest = "greentea/v1/digest"
    case tokenSigning = "greentea/v1/token-signing"
    case checkpoint = "greentea/v1/checkpoint"
    case wrapping = "greentea/v1/wrapping"
    case authorHandle = "greentea/v1/author-handle"
    case phoneGuess = "greentea/v1/phone-guess"
    case picture = "greentea/v1/picture"
    case phoneName = "greentea/v1/phone-name"
    case paperCode = "greentea/v1/paper-code"
    case paperSecret = "greentea/v1/paper-secret"
    case paperMark = "greentea/v1/paper-mark"
    case root = "greentea/v1/root"
    case entry = "greentea/v1/entry"
    case carrying = "greentea/v1/carrying"
    case node = "greentea/v1/node"
}

/// HMAC-SHA256 (RFC 2104), with the key's blocks hashed in advance.
struct HashKey: Sendable {
    private static let blockLength = 64

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

    func hash(_ message: [UInt8]) -> [UInt8] { Array(code(message)) }

    func number(_ message: [UInt8]) -> UInt128 {
        unsafe code(message).withUnsafeBytes { unsafe UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    private func code(_ message: [UInt8]) -> SHA256.Digest {
        var (inner, outer) = (inner, outer)
        inner.update(data: message)
        // A sequence of bytes would first be copied into an array.
        unsafe inner.finalize().withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
        return outer.finalize()
    }
}
