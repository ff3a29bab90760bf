import LMDB
import Loyalty
import LoyaltyCodec
import Synchronization

/// The search for damage in the file of the keys while the service runs.
///
/// The storage engine trusts its pages, so a damaged one can end the process. The pages are read without the engine; only if they are whole
/// are the rows read through it. A row needs no checksum of its own: a data key is sealed for its account, and of the two rows that join an
/// account and a number, each must lead to the other.
extension KeyStore {
    /// Checks every page of the file, and perhaps every row. Requests for keys go on meanwhile, and erasures wait.
    ///
    /// After damage of a page, nothing is read from the file until the next start: keys that are in memory are still given, and every other
    /// request throws. After damage of a row, the other rows are used.
    ///
    /// - Returns: the damage; nil if there is none.
    /// - Throws: an error of reading that is no damage.
    @available(*, noasync)
    package func inspect(rows: Bool) throws -> KeyStoreError? {
        try destroying.withLock { _ in
            if let damage = state.withLock({ $0.damage }) { return damage }
            // Only scrubbing replaces the file, which needs the lock that this function holds.
            let file = try state.withLock { try opened(&$0) }
            if let damage = try damage(of: file.environment) {
                state.withLock { $0.damage = damage }
                return damage
            }
            return try rows ? damagedRow(in: file).map { .damaged(path: directory, what: $0) } : nil
        }
    }

    private func damage(of environment: Environment) throws -> KeyStoreError? {
        do throws(LMDBError) { try environment.requireInPlace() } catch { return .removed(path: directory, what: error.text) }
        do throws(LMDBError) { try environment.requireWholePages() } catch {
            if error.code == .lockDamaged { return .lockDamaged(path: directory) }
            guard let damage = KeyStoreError.damage(in: directory, error) else { throw error }
            return damage
        }
        return nil
    }

    /// The first row that cannot be right; nil if there is none.
    private func damagedRow(in file: KeyFile) throws -> String? {
        var changed: AccountID?
        try file.eachKey { name, wrapped in
            let account = AccountID(name.reduce(0) { $0 << 8 | UInt128($1) })
            if (try? keys.unwrap(wrapped, for: account)) == nil { changed = changed ?? account }
        }
        if let changed { return "the key of account \(changed) was changed" }
        return try accountWithLooseNumber(in: file).map { "the number of account \($0) does not lead back to it" }
    }
}
