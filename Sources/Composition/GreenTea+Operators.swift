public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec
public import Merkle

extension GreenTea {
    /// Whether the account's phone number is one of the operators' numbers in the configuration.
    ///
    /// Operators are named in the configuration and not in events. So the person who starts the service decides who is an operator, and a
    /// copy of the log gives nobody rights elsewhere. Routes check this before they make a command; decisions do not. The check uses the
    /// account's present number, so an operator who changes the number is no longer one. If the key store cannot be read, the answer is
    /// false.
    public func isOperator(_ account: Account) -> Bool {
        guard !operators.isEmpty, let number = try? phone(of: account) else { return false }
        return operators.contains(number)
    }

    /// Corrects the number of stamps on a card. An event of its own type records the correction. The caller MUST be an operator.
    public func adjustCard(_ adjustment: AdjustCard, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let holder = try reading { try $0.card(adjustment.card)?.holder }
        let command = AdjustCard(
            card: adjustment.card, expected: adjustment.expected, stamps: adjustment.stamps,
            reason: try sealed(adjustment.reason, about: holder))
        return try await submit(.adjustCard(command), by: caller)
    }

    /// Suspends a shop. The caller MUST be an operator.
    public func suspendShop(_ shop: ShopID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let reason = try await sealed(reason, within: Loyalty.Limits.reason, about: shop)
        return try await submit(.suspendShop(SuspendShop(shop: shop, reason: reason)), by: caller)
    }

    /// Reinstates a suspended shop. The caller MUST be an operator.
    public func reinstateShop(_ shop: ShopID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let reason = try await sealed(reason, within: Loyalty.Limits.reinstatementReason, about: shop)
        return try await submit(.reinstateShop(ReinstateShop(shop: shop, reason: reason)), by: caller)
    }

    /// Events in the form in which the log has them, oldest first, for operators only. Sealed fields stay sealed.
    ///
    /// A query without a tag needs a scan of the log, so the reading runs on a thread of Dispatch.
    ///
    /// - Parameters:
    ///   - after: the position after which the list begins. The list is empty if this is the head or beyond.
    ///   - limit: the maximum number of events.
    /// - Throws: ``ServiceError/failed(_:)`` when the log cannot be read.
    public func events(matching query: Query, after: Position, limit: Int) async throws(ServiceError) -> [Fact] {
        guard after < log.head else { return [] }
        let log = log
        do {
            return try await blocking {
                try log.events(matching: query, after: after, limit: limit).map { try LoyaltyCodec.decode($0) }
            }
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// The bytes of a tile of entries, for operators only; nil if the published tree has no such tile, and for a tile of hashes.
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
            throw ServiceError(storage: error)
        }
    }

}

/// The reasons that people give for acts such as reversals, adjustments and suspensions. A reason is sealed under the key of the person or
/// the shop that it is about.
extension GreenTea {
    /// A reason, decrypted; nil if the key was destroyed.
    ///
    /// - Parameter holder: the holder of the card that the reason is about.
    public func open(_ reason: TypedText, about holder: AccountID) throws(ServiceError) -> String? {
        switch reason {
        case .clear(let text): text
        case .sealed(let sealed): try open(sealed, as: .reason, of: holder)
        }
    }

    /// A reason about a shop, sealed for the log. If the shop has no key yet, one is created. If the shop's key was destroyed because its
    /// owner was erased, the reason is sealed under a temporary key, so that nobody can read it.
    func sealed(_ reason: String, within limit: TextLimit, about shop: ShopID) async throws(ServiceError) -> TypedText {
        guard Self.isWorthSealing(reason, limit), try reading({ try $0.shop(shop) }) != nil else { return .clear(reason) }
        do {
            let key = try await makeKey(of: shop) ?? DataKey(bytes: randomness.bytes(DataKey.length))
            return .sealed(try sealed(reason, of: shop.keyHolder, under: key))
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// A reason about an account or its card, sealed for the log. If the account was erased, the reason is sealed under a temporary key, so
    /// that nobody can read it.
    ///
    /// - Parameter holder: the account; nil if the card does not exist, so that the reason stays unsealed for a command that is refused.
    func sealed(_ reason: TypedText, about holder: AccountID?) throws(ServiceError) -> TypedText {
        guard case .clear(let text) = reason, let holder, Self.isWorthSealing(text, Loyalty.Limits.reason) else { return reason }
        do {
            let key = try keyStore.key(of: holder) ?? DataKey(bytes: randomness.bytes(DataKey.length))
            return .sealed(try sealed(text, of: holder, under: key))
        } catch {
            throw ServiceError(storage: error)
        }
    }

    private func sealed(_ text: String, of holder: AccountID, under key: DataKey) throws -> Sealed {
        try Sealing.seal(text, field: .reason, of: holder, under: key, nonce: randomness.bytes(Sealing.nonceLength))
    }

    /// Whether the decision would accept the text. A text that the decision would refuse is passed on unsealed, so that the decision's own
    /// error is reported.
    private static func isWorthSealing(_ text: String, _ limit: TextLimit) -> Bool {
        !text.isEmpty && limit.fault(in: text) == nil
    }
}
