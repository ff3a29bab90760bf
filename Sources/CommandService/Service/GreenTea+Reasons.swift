public import Loyalty
import LoyaltyCodec

/// Why something was reversed, adjusted or suspended: sealed under the key of the person or the shop that it is about.
extension GreenTea {
    /// A reason in the clear, or nil where the key was destroyed.
    ///
    /// - Parameter holder: the holder of the card that it is about.
    public func open(_ reason: TypedText, about holder: AccountID) throws(ServiceError) -> String? {
        switch reason {
        case .clear(let text): text
        case .sealed(let sealed): try open(sealed, as: .reason, of: holder)
        }
    }

    /// A reason about a shop, as it may enter the log. The shop's key is made where it has none yet; where it was destroyed with the
    /// owner's, the key is one that nobody keeps.
    func sealed(_ reason: String, within limit: TextLimit, about shop: ShopID) async throws(ServiceError) -> TypedText {
        guard Self.isWorthSealing(reason, limit), let known = try reading({ try $0.shop(shop) }) else { return .clear(reason) }
        do {
            let isErased = known.contact == .erased
            let key =
                try isErased
                ? DataKey(bytes: randomness.bytes(DataKey.length))
                : await blocking { [keyStore] in try keyStore.makeKey(for: shop.keyHolder) }
            return .sealed(try sealed(reason, of: shop.keyHolder, under: key))
        } catch {
            throw .failed(String(describing: error))
        }
    }

    /// A reason about somebody's card. Where that person was erased, the key is one that nobody keeps.
    func sealed(_ reason: TypedText, about holder: AccountID?) throws(ServiceError) -> TypedText {
        guard case .clear(let text) = reason, let holder, Self.isWorthSealing(text, Loyalty.Limits.reason) else { return reason }
        do {
            let key = try keyStore.key(of: holder) ?? DataKey(bytes: randomness.bytes(DataKey.length))
            return .sealed(try sealed(text, of: holder, under: key))
        } catch {
            throw .failed(String(describing: error))
        }
    }

    private func sealed(_ text: String, of holder: AccountID, under key: DataKey) throws -> Sealed {
        try Sealing.seal(text, field: .reason, of: holder, under: key, nonce: randomness.bytes(Sealing.nonceLength))
    }

    /// Whether the decision would accept the text. A refused one is passed on unsealed, so that the decision's own error is reported.
    private static func isWorthSealing(_ text: String, _ limit: TextLimit) -> Bool {
        !text.isEmpty && limit.complaint(about: text) == nil
    }
}
