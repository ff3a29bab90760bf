internal import Crypto
public import Loyalty

/// The keys for hashing, signing and wrapping, derived once at start from the root secret and the master secret. The keys share one object,
/// because each request needs hashes under several of them.
///
/// Codes are derived from ids and are not random. So a retry of the same command shows the same code, and the log need not store it.
///
/// Public answers name an author by a handle, which is a keyed hash of shop and account. If answers contained the account's id instead,
/// owners could send the author offers of work, and anybody could link a person's reviews at different shops.
///
/// HMAC is computed from two prepared SHA-256 states; the tests use the vectors of RFC 4231. The library's `HMAC` is generic and not
/// specialised across modules: it took 1.8 to 2.7 µs for a hash that takes 1.2 to 1.5 µs here, and a stamp needs six hashes.
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
    /// The root secret, from which all keys of this object are derived, except ``wrapping``.
    let root: MasterSecret

    /// The 32-byte seed of the Ed25519 key that signs access tokens (RFC 8032).
    public let tokenSigningSeed: [UInt8]

    /// The 32-byte seed of the Ed25519 key that signs the log's checkpoints.
    public let checkpointSeed: [UInt8]

    /// Derives all keys of a folder whose root secret is the master secret.
    public convenience init(_ master: MasterSecret) {
        self.init(root: master, master: master)
    }

    /// Derives from `root` the keys that may never change, and from `master` the key that wraps data keys.
    ///
    /// Codes, hashes for look-ups, refresh tokens and the log's signatures must remain valid when the master secret is changed; see
    /// `MasterSecret.swift`.
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
    }

    /// The stamp code that is shown for a code's id. `attempt` is 0 to 255; it is above 0 only if the codes of all lower attempts belong to
    /// other ids.
    public func stampCode(for id: CodeID, attempt: Int) -> TypedCode {
        Self.code(under: stampCode, for: id.value, attempt: attempt)
    }

    /// The code that is shown for a redemption's id. It is derived like a stamp code, see ``stampCode(for:attempt:)``, but with another
    /// key.
    public func redemptionCode(for id: RedemptionID, attempt: Int) -> TypedCode {
        Self.code(under: redemptionCode, for: id.value, attempt: attempt)
    }

    /// The keyed hash of a stamp code, as the log holds it.
    public func secret(ofStampCode code: TypedCode) -> Secret {
        Secret(stampSecret.number(code.bytes))
    }

    /// The keyed hash of a redemption code, as the log holds it.
    public func secret(ofRedemptionCode code: TypedCode) -> Secret {
        Secret(redemptionSecret.number(code.bytes))
    }

    /// The hash of a phone number by which the log identifies accounts of older releases. Newer accounts have ``secret(inPlaceOfPhone:)``.
    /// The caller MUST normalise the number to E.164 first.
    ///
    /// - Parameter generation: the number of accounts with this phone number that were erased before. It changes the hash, so that the log
    ///   does not reveal that a new account has the same number as an erased account.
    public func secret(ofPhone number: String, generation: UInt32 = 0) -> Secret {
        let text = Array(number.utf8)
        guard generation > 0 else { return Secret(phone.number(text)) }
        // The message begins with the number's hash and not with the number, so that no other number can give the same message.
        var message = phone.hash(text)
        for shift in [24, 16, 8, 0] as [UInt32] { message.append(UInt8(truncatingIfNeeded: generation >> shift)) }
        return Secret(phone.number(message))
    }

    /// The keyed hash of a refresh token, as the log holds it.
    public func secret(ofToken text: String) -> Secret {
        Secret(token.number(Array(text.utf8)))
    }

    /// A refresh token: `random` with its last 48 bits replaced by a keyed hash of the session's id and the first 80 bits. So the token
    /// alone proves that it was issued for this session, and no list of spent tokens has to be searched.
    public func markedToken(_ random: UInt128, of session: SessionID) -> UInt128 {
        let free = random >> 48
        return free << 48 | tokenMark.number(session.value.bigEndianBytes + free.bigEndianBytes) >> 80
    }

    /// The keyed hashes by which a repetition of a request is recognised.
    ///
    /// - Parameters:
    ///   - key: the client's idempotency key, without zero bytes.
    ///   - content: the request's canonical bytes, which are the same in each repetition: for HTTP, the method, the path and the body.
    public func mark(account: AccountID, key: String, content: [UInt8]) -> RequestMark {
        var name: [UInt8] = []
        name.reserveCapacity(17 + key.utf8.count + content.count)
        account.value.appendBigEndian(to: &name)
        name.append(contentsOf: key.utf8)
        let request = request.number(name)
        name.append(0)
        return RequestMark(request: request, digest: digest.number(name + content), formerDigest: digest.number(content))
    }

    /// The first 40 bits of HMAC(id ‖ attempt as four bytes, most significant first).
    static func code(under key: HashKey, for id: UInt128, attempt: Int) -> TypedCode {
        var message = id.bigEndianBytes
        for shift in [24, 16, 8, 0] { message.append(UInt8(truncatingIfNeeded: attempt >> shift)) }
        return TypedCode(firstBitsOf: key.hash(message))
    }
}

/// Names and masks that stand for a person, a phone number or a picture's sender in places where the id or the number must stay hidden.
extension Keys {
    /// The author's name at one shop, as public answers show it: 16 symbols of lower-case Crockford base 32, the first 80 bits of HMAC(shop
    /// ‖ account).
    ///
    /// The name is the same in all posts of the author at that shop, so that the shop can recognise the author. Handles of one account at
    /// two shops cannot be linked, and a handle does not reveal the account.
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

    /// The id that an offer of work to an unregistered phone number names in place of an account. So the offer is made and answered like
    /// any other. No account ever gets this id, because ids of real accounts contain the time of registration.
    public func nobody(withPhone number: String) -> AccountID {
        AccountID(phoneGuess.number(Array(number.utf8)))
    }

    // The key `phoneName` has three purposes. The first byte of each hashed message tells the purpose, so that a hash for one purpose never
    // equals a hash for another purpose.

    /// The keyed hash by which the key store finds a phone number. No event contains this hash. So even a reader of the log who has the
    /// root secret cannot find out which number an account has.
    public func phoneName(of number: String) -> UInt128 {
        phoneName.number([0] + Array(number.utf8))
    }

    /// The secret that the event of a registration stores. Older releases stored a hash of the phone number instead. The secret is derived
    /// from the account alone, so it reveals nothing about the number. If an account is registered twice, the secret is the same, so the
    /// second registration is recognised and changes nothing.
    public func secret(inPlaceOfPhone account: AccountID) -> Secret {
        Secret(phoneName.number([1] + account.value.bigEndianBytes))
    }

    /// Masks a value with bytes that are derived from the salt and the row's name. Masking a second time restores the value.
    ///
    /// The key store masks the rows of ``phoneName(of:)``, so that the bytes of each row are unique in its file. To destroy a row, all
    /// places with its bytes can then be zeroed.
    public func masked(_ value: UInt128, salt: UInt128, row: UInt128) -> UInt128 {
        value ^ phoneName.number([2] + salt.bigEndianBytes + row.bigEndianBytes)
    }

    /// The id of a picture that an account uploads: the first 128 bits of HMAC(account ‖ digest).
    ///
    /// The same bytes have the same id if one account uploads them twice, and different ids if two accounts upload them. So only the
    /// uploader can name a picture. The id reveals neither the uploader nor the bytes.
    public func picture(digest: [UInt8], sentBy account: AccountID) -> ImageID {
        ImageID(picture.number(account.value.bigEndianBytes + digest))
    }
}

/// The purpose of a derived key. A leak of one key reveals nothing about another key.
///
/// The raw value is the HKDF `info`. Changing a label loses everything made under its key: codes, look-ups, sessions, data keys.
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
}

/// HMAC-SHA256 (RFC 2104) under one key. The key's inner and outer blocks are hashed in advance.
///
/// A stamp needs about six of these hashes. The library's `HMAC` gives the same result, but its generic code is not specialised, and spends
/// more time on looking up types than on hashing. The library's `HMAC` took a twelfth of a stamp's processor time; this type takes half of
/// that.
struct HashKey: Sendable {
    /// The number of bytes in a block of SHA-256.
    private static let blockLength = 64

    /// The states of SHA-256 after the inner and after the outer block of the key, which HMAC defines.
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

    /// All 32 bytes of the hash.
    func hash(_ message: [UInt8]) -> [UInt8] {
        Array(code(message))
    }

    /// The first 128 bits of the hash.
    func number(_ message: [UInt8]) -> UInt128 {
        unsafe code(message).withUnsafeBytes { unsafe UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self)) }
    }

    private func code(_ message: [UInt8]) -> SHA256.Digest {
        var (inner, outer) = (inner, outer)
        inner.update(data: message)
        // Passing the digest as a sequence of bytes would first copy it into an array.
        unsafe inner.finalize().withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
        return outer.finalize()
    }
}
