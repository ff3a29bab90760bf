import CommandService
import Foundation
import Testing

/// The outcome of a command whose data could not be stored.
@Suite struct StorageErrorTests {
    @Test("A full disk is answered with a retry, whatever was to be stored; another failure keeps its cause, and what failed")
    func fullDisk() {
        let act = "the key still exists: "
        #expect(ServiceError(storage: POSIXError(.ENOSPC), act) == .overloaded)
        #expect(ServiceError(storage: KeyStoreError.noKey, act) == .failed(act + "\(KeyStoreError.noKey)"))
    }
}
