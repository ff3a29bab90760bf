import Foundation
import Testing

@testable import LMDB

/// The lock with which a process keeps other processes out of a folder while it fills the folder.
@Suite struct FolderLockTests {
    private func code(_ path: String) -> LMDBError.Code? {
        do throws(LMDBError) {
            _ = try FolderLock(path)
            return nil
        } catch { return error.code }
    }

    @Test("A locked folder is refused until the lock is released, also under another name; a missing folder is reported as missing")
    func refused() throws {
        let folder = try TemporaryFolder()
        let (path, other) = (folder.environment as String, folder.environment + "-renamed")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            let lock = try #require(try FolderLock(path))
            #expect(code(path) == .locked)
            try FileManager.default.moveItem(atPath: path, toPath: other)
            #expect(code(other) == .locked && code(path) == .missing)
            withExtendedLifetime(lock) {}
        }
        #expect(code(other) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other).isEmpty)
        try FileManager.default.removeItem(atPath: other)
    }
}
