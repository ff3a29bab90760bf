import EventLog
import Loyalty
import LoyaltyCodec
import Testing

/// A reader of the log learns no phone number and no word of a review, and gets no usable code.
struct SecrecyTests {
    private static let phone = "+8613800138000"
    private static let words = "The oolong here is the best in town"

    private func sealed(_ text: String, _ field: SealedField, of account: AccountID) throws -> Sealed {
        let key = try DataKey(bytes: Array(1...32))
        return try Sealing.seal(text, field: field, of: account, under: key, nonce: Array(1...12))
    }

    private func bytes(_ event: LoyaltyEvent) throws -> [UInt8] {
        try Bytes.record(try LoyaltyCodec.encode(event, by: .init(1), at: Sample.time, mark: nil))
    }

    @Test("Events contain no phone number and no word of a review or reply in clear")
    func personalData() throws {
        let keys = Keys(try MasterSecret(bytes: Array(0..<32)))
        let account = AccountID(7)
        let registered = AccountRegistered(
            account: account, phone: keys.secret(ofPhone: Self.phone), sealedPhone: try sealed(Self.phone, .phone, of: account))
        let text = try sealed(Self.words, .reviewText, of: account)
        let review = ReviewPosted(review: .init(1), shop: .init(2), author: account, rating: 5, text: text)
        let reply = ReplyPosted(
            reply: .init(1), parent: .init(2), thread: .init(2), shop: .init(2), author: account, depth: 1, text: text)
        let all = try bytes(.accountRegistered(registered)) + bytes(.reviewPosted(review)) + bytes(.replyPosted(reply))
        #expect(!Bytes.contains(all, Array(Self.phone.utf8)))
        #expect(!Bytes.contains(all, Array("13800138000".utf8)))
        #expect(!Bytes.contains(all, Array("oolong".utf8)))
    }

    @Test("Events contain no code as typed, as shown or as a number")
    func noCodes() throws {
        let keys = Keys(try MasterSecret(bytes: Array(0..<32)))
        for number in 1...50 {
            let issued = try issuedCode(number, keys)
            let requested = try requestedCode(number, keys)
            for (bytes, code) in [issued, requested] {
                for form in Self.forms(of: code) { #expect(!Bytes.contains(bytes, form)) }
            }
        }
    }

    private func issuedCode(_ number: Int, _ keys: Keys) throws -> ([UInt8], TypedCode) {
        let id = CodeID(UInt128(number) << 64)
        let code = keys.stampCode(for: id, attempt: 0)
        let secret = keys.secret(ofStampCode: code)
        let event = CodeIssued(
            code: id, campaign: .init(3), shop: .init(2), secret: secret, attempt: 0, stamps: 1, expiresAt: Sample.time)
        return (try bytes(.codeIssued(event)), code)
    }

    private func requestedCode(_ number: Int, _ keys: Keys) throws -> ([UInt8], TypedCode) {
        let id = RedemptionID(UInt128(number) << 64)
        let code = keys.redemptionCode(for: id, attempt: 0)
        let secret = keys.secret(ofRedemptionCode: code)
        let event = RedemptionRequested(
            redemption: id, card: .init(5), campaign: .init(3), shop: .init(2), holder: .init(1), secret: secret, attempt: 0,
            expiresAt: Sample.time)
        return (try bytes(.redemptionRequested(event)), code)
    }

    /// The code as typed, as displayed, and as a number in either byte order.
    private static func forms(of code: TypedCode) -> [[UInt8]] {
        let bigEndian = (0..<5).map { UInt8(truncatingIfNeeded: code.bits >> UInt64(32 - 8 * $0)) }
        let plain = code.text.filter { $0 != "-" }
        return [Array(code.text.utf8), Array(plain.utf8), Array(plain.lowercased().utf8), bigEndian, bigEndian.reversed()]
    }
}
