public import CommandService
public import EventLog
public import Loyalty
import LoyaltyCodec
public import Merkle

extension GreenTea {
    /// Whether the account's present number is one of the operators' in the configuration; false if the key store cannot be read.
    ///
    /// The log names no operators, so a copy of it gives nobody rights elsewhere. Routes check this; decisions do not.
    public func isOperator(_ account: Account) -> Bool {
        guard !operators.isEmpty, let number = try? phone(of: account) else { return false }
        return operators.contains(number)
    }

    /// The caller MUST be an operator.
    public func adjustCard(_ adjustment: AdjustCard, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let holder = try reading { try $0.card(adjustment.card)?.holder }
        let command = AdjustCard(
            card: adjustment.card, expected: adjustment.expected, stamps: adjustment.stamps,
            reason: try sealed(adjustment.reason, about: holder))
        return try await submit(.adjustCard(command), by: caller)
    }

    /// The caller MUST be an operator.
    public func suspendShop(_ shop: ShopID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let reason = try await sealed(reason, within: Loyalty.Limits.reason, about: shop)
        return try await submit(.suspendShop(SuspendShop(shop: shop, reason: reason)), by: caller)
    }

    /// The caller MUST be an operator.
    public func reinstateShop(_ shop: ShopID, reason: String, by caller: Caller) async throws(ServiceError) -> Acceptance {
        let reason = try await sealed(reason, within: Loyalty.Limits.reinstatementReason, about: shop)
        return try await submit(.reinstateShop(ReinstateShop(shop: shop, reason: reason)), by: caller)
    }

    /// Nil unless the account is suspended. For operators only.
    public func suspension(of account: AccountID) throws(ServiceError) -> Suspension? {
        guard try reading({ try $0.account(account) })?.isSuspended == true else { return nil }
        return try suspension(.accountSuspended, Tag(kind: .account, value: account.value))
    }

    /// Nil unless the shop is suspended. For operators only.
    public func suspension(of shop: ShopID) throws(ServiceError) -> Suspension? {
        guard try reading({ try $0.shop(shop) })?.isSuspended == true else { return nil }
        return try suspension(.shopSuspended, Tag(kind: .shop, value: shop.value))
    }

    private func suspension(_ type: EventType, _ tag: Tag) throws(ServiceError) -> Suspension? {
        let fact: Fact?
        do {
            fact = try log.lastPosition(of: tag, type: type).flatMap { try log.event(at: $0) }.map { try LoyaltyCodec.decode($0) }
        } catch {
            throw ServiceError(storage: error)
        }
        switch fact.map({ ($0.event, $0.time) }) {
        case (.accountSuspended(let event), let time)?: return Suspension(at: time, reason: try open(event.reason, about: event.account))
        case (.shopSuspended(let event), let time)?:
            return Suspension(at: time, reason: try open(event.reason, about: event.shop.keyHolder))
        default: return nil
        }
    }

    /// Events as stored, oldest first; for operators only. A query without a tag scans the log.
    public func events(matching query: Query, after: Position, through: Position = .max, limit: Int) async throws(ServiceError) -> [Fact] {
        guard after < log.head else { return [] }
        let log = log
        do {
            return try await blocking {
                try log.events(matching: query, after: after, through: through, limit: limit).map { try LoyaltyCodec.decode($0) }
            }
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// For operators only; nil if the published tree has no such tile.
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

/// The last suspension of a shop or an account.
public struct Suspension: Sendable {
    public let at: Instant
    /// Nil if its key was destroyed.
    public let reason: String?
}

extension GreenTea {
    /// nil if the key was destroyed.
    public func open(_ reason: TypedText, about holder: AccountID) throws(ServiceError) -> String? {
        switch reason {
        case .clear(let text): text
        case .sealed(let sealed): try open(sealed, as: .reason, of: holder)
        }
    }

    /// If the shop's key was destroyed, a temporary key makes the reason unreadable.
    func sealed(_ reason: String, within limit: TextLimit, about shop: ShopID) async throws(ServiceError) -> TypedText {
        guard Self.isWorthSealing(reason, limit), try reading({ try $0.shop(shop) }) != nil else { return .clear(reason) }
        do {
            let key = try await makeKey(of: shop) ?? DataKey(bytes: randomness.bytes(DataKey.length))
            return .sealed(try sealed(reason, of: shop.keyHolder, under: key))
        } catch {
            throw ServiceError(storage: error)
        }
    }

    /// Under a temporary key if the account was erased. Nil for `holder` if the card does not exist; the command is then refused.
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

    /// A text that the decision would refuse stays unsealed, so that the decision reports its own error.
    private static func isWorthSealing(_ text: String, _ limit: TextLimit) -> Bool { !text.isEmpty && limit.fault(in: text) == nil }
}
