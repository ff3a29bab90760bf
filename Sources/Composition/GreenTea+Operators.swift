public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec
public import Merkle

extension GreenTea {
    /// Whether the account's phone is among the configured operators'.
    ///
    /// Operators come from the configuration and not from events. The person who starts the service decides who they are, and a copy of the
    /// log makes nobody powerful elsewhere. So routes ask this before they make a command; decisions need not know. The number is the one
    /// in force: an operator who changes it is one no more. If the key store cannot be read, the answer is false.
    public func isOperator(_ account: Account) -> Bool {
        guard !operators.isEmpty, let number = try? phone(of: account) else { return false }
        return operators.contains(number)
    }

    /// Sets a card's stamps right by an event of its own. The caller MUST be an operator.
    public func adjustCard(_ adjustment: AdjustCard, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let holder = try reading { try $0.card(adjustment.card)?.holder }
        let command = AdjustCard(
            card: adjustment.card, expected: adjustment.expected, stamps: adjustment.stamps,
            reason: try sealed(adjustment.reason, about: holder))
        return try await submit(.adjustCard(command), by: caller)
    }

    /// Closes a shop's counter. The caller MUST be an operator.
    public func suspendShop(_ shop: ShopID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let reason = try await sealed(reason, within: Loyalty.Limits.reason, about: shop)
        return try await submit(.suspendShop(SuspendShop(shop: shop, reason: reason)), by: caller)
    }

    /// Opens a suspended shop's counter again. The caller MUST be an operator.
    public func reinstateShop(_ shop: ShopID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let reason = try await sealed(reason, within: Loyalty.Limits.reinstatementReason, about: shop)
        return try await submit(.reinstateShop(ReinstateShop(shop: shop, reason: reason)), by: caller)
    }

    /// Events as the log has them, oldest first, for operators alone: what is sealed stays sealed.
    ///
    /// A question that no tag narrows down is answered by a scan, so this is done off the cooperative threads.
    ///
    /// - Parameters:
    ///   - after: exclusive; beyond the head there is nothing.
    ///   - limit: how many at most.
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read.
    public func events(matching query: Query, after: Position, limit: Int) async throws(ServiceError) -> [Fact] {
        guard after < log.head else { return [] }
        let log = log
        do {
            return try await blocking {
                try log.events(matching: query, after: after, limit: limit).map { try LoyaltyCodec.decode($0) }
            }
        } catch {
            throw .failed(String(describing: error))
        }
    }

    /// The bytes of a tile of entries, for operators alone; nil for one that the published tree does not have.
    ///
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read.
    public func entries(of tile: Tile) throws(ServiceError) -> [UInt8]? {
        guard case .entries = tile.kind, tile.isWithin(size: checkpoint.checkpoint.size) else { return nil }
        do {
            var bundle: [UInt8] = []
            let (before, last) = (Position(tile.range.lowerBound), Position(tile.range.upperBound))
            try log.scan(after: before, through: last) { _, record in
                try EntryBundle.append(record.bytes, to: &bundle)
                return true
            }
            return bundle
        } catch {
            throw .failed(String(describing: error))
        }
    }

}

/// Why something was reversed, adjusted or suspended: sealed under the key of the person or the shop that it is about.
///
/// Operators are a setting (`--operator PHONE`), not events: the owner of the process decides, and a log that is read elsewhere makes
/// nobody an operator. Routes check the role before they make a command.
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

    /// A reason about a shop, sealed for the log. Creates the shop's key if it has none yet. If the key was destroyed with the owner's, a
    /// key is used that is not stored.
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

    /// A reason about a customer's card. If the customer was erased, a key is used that is not stored.
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
        !text.isEmpty && limit.fault(in: text) == nil
    }
}
