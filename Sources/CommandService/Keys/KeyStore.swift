import LMDB
public import Loyalty
public import LoyaltyCodec
import Synchronization

/// The accounts' data keys, each wrapped by the master secret, in an LMDB of their own that is flushed at every change.
///
/// Apart from the log on purpose: the log is backed up and copied for ever, while destroying one key here makes one person's
/// sealed fields unreadable in all those copies.
///
/// Concurrency: any thread may call. Writes block for one flush.
public final class KeyStore: Sendable {
    private let environment: Environment
    private let wrapped: Table
    private let keys: Keys
    private let randomness: any Randomness
    /// Keys unwrapped so far. Guarded by the mutex; bounded by the cache.
    private let unwrapped = Mutex(GenerationalCache<AccountID, DataKey>(limit: Limits.cachedEntitiesMax))

    /// Opens or creates the store and proves that the master secret is the one it was made with.
    ///
    /// - Throws: `KeyStoreError.wrongMasterSecret`, or the storage's `LMDBError`.
    @available(*, noasync)
    public init(directory: String, keys: Keys, randomness: any Randomness) throws {
        var options = Environment.Options()
        options.zeroesPages = true  // Key material must not reach the disk in the unused part of a page.
        environment = try Environment(directory: directory, access: .readWrite, options: options)
        wrapped = try environment.table("dataKeys")
        let meta = try environment.table("meta")
        self.keys = keys
        self.randomness = randomness
        try Self.check(keys, in: environment, meta)
    }

    /// The account's key, or `nil` where there is none: never made, or destroyed.
    public func key(of account: AccountID) throws -> DataKey? {
        if let key = unwrapped.withLock({ $0[account] }) { return key }
        let environment = self.environment  // A transaction borrows a local, not a property.
        let snapshot = try environment.snapshot()
        let name = Self.name(of: account)
        guard let stored = try snapshot.get(wrapped, name.span) else { return nil }
        let bytes = (0..<stored.count).map { stored[$0] }
        let key = try keys.unwrap(bytes, for: account)
        unwrapped.withLock { $0[account] = key }
        return key
    }

    /// Makes a key for an account that has none, else returns the one it has; durable when this returns.
    @available(*, noasync)
    public func makeKey(for account: AccountID) throws -> DataKey {
        let key = try DataKey(bytes: randomness.bytes(DataKey.length))
        let bytes = try keys.wrap(key, for: account, nonce: randomness.bytes(Sealing.nonceLength))
        let name = Self.name(of: account)
        let environment = self.environment
        var change = try environment.write()
        // Overwriting a key would be an erasure that nobody asked for.
        if let stored = try change.get(wrapped, name.span) { return try keys.unwrap((0..<stored.count).map { stored[$0] }, for: account) }
        try change.put(wrapped, name.span, bytes.span)
        try change.commit()
        unwrapped.withLock { $0[account] = key }
        return key
    }

    /// The account's name in the table: its id, most significant byte first.
    private static func name(of account: AccountID) -> [UInt8] {
        bigEndianBytes(account.value)
    }

    private static func bigEndianBytes(_ number: UInt128) -> [UInt8] {
        stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt128($0)) }
    }

    /// The first opening leaves a mark that only this master secret can make; every later one must find it.
    @available(*, noasync)
    private static func check(_ keys: Keys, in environment: Environment, _ meta: Table) throws {
        let name = Array("master".utf8)
        let expected = bigEndianBytes(keys.secret(ofToken: "the master secret of this data folder").value)
        var change = try environment.write()
        if let stored = try change.get(meta, name.span) {
            guard (0..<stored.count).map({ stored[$0] }) == expected else { throw KeyStoreError.wrongMasterSecret }
            return
        }
        try change.put(meta, name.span, expected.span)
        try change.commit()
    }
}
