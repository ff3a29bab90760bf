import LMDB
import Loyalty
import LoyaltyCodec
import Synchronization

/// A damaged page can end the process, so pages are first read without the storage engine. Rows need no checksum: keys are sealed, and the
/// rows of an account and its number must match.
extension KeyStore {
    /// Requests for keys go on meanwhile, and erasures wait.
    ///
    /// After damage of a page, only keys in memory are given until the next start. After damage of a row, the other rows are used.
    ///
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

    /// The error for a lock file that was overwritten while this process has it open. Waits for nothing: nil also while another thread
    /// uses the file.
    package var lockDamage: KeyStoreError? {
        let isOverwritten = state.withLockIfAvailable { state in
            do throws(LMDBError) { try state.file?.environment.requireLockFile() } catch { return error.code == .lockDamaged }
            return false
        }
        return isOverwritten == true ? .lockDamaged(path: directory) : nil
    }

    private func damage(of environment: Environment) throws -> KeyStoreError? {
        do throws(LMDBError) { try environment.requireInPlace() } catch {
            return .removed(path: directory, what: error.text, open: environment.openFile)
        }
        do throws(LMDBError) { try environment.requireWholePages() } catch {
            if error.code == .lockDamaged { return .lockDamaged(path: directory) }
            guard let damage = KeyStoreError.damage(in: directory, error) else { throw error }
            return damage
        }
        return nil
    }

    private func damagedRow(in file: KeyFile) throws -> String? {
        var changed: AccountID?
        try file.eachKey { name, wrapped in
            let account = AccountID(name.reduce(0) { $0 << 8 | UInt128($1) })
            if (try? keys.unwrap(wrapped, for: account)) == nil { changed = changed ?? account }
        }
        if let changed { return "the key of account \(changed.text) was changed" }
        return try accountWithLooseNumber(in: file).map { "the number of account \($0.text) does not lead back to it" }
    }
}
