import EventLog
import Foundation
import Loyalty
import LoyaltyCodec
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// At a start, the service searches for erasures only in events that earlier starts did not search. It relies on earlier searches only if
/// the log still begins with the events that they searched.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct ErasureNoteTests {
    /// Creates the erased account's key again. If the key survives the next start, that start did not search the part of the log with the
    /// erasure.
    private func makeKeyAgain(of account: AccountID, on site: Site) throws {
        _ = try site.service.keyStore.makeKey(for: account)
    }

    private func hasKey(_ account: AccountID, on site: Site) throws -> Bool { try site.service.keyStore.key(of: account) != nil }

    private func erased(on site: Site) async throws -> AccountID {
        let account = try await site.service.register(phone(1)).id
        _ = try await site.service.submit(.eraseAccount(EraseAccount()), by: Caller(account: account))
        return account
    }

    @Test("A start does not search the events that an earlier start searched")
    func searchedOnce() async throws {
        let site = try Site()
        let account = try await erased(on: site)
        try site.reopen()
        #expect(try !hasKey(account, on: site))
        try makeKeyAgain(of: account, on: site)
        _ = try await site.service.register(phone(2))
        try site.reopen()
        #expect(try hasKey(account, on: site), "the second start searched only events that the first one had not searched")
    }

    @Test("A start finds an erasure since the last start, and destroys the account's key")
    func sinceLastStart() async throws {
        let site = try Site()
        _ = try await site.service.register(phone(2))
        try site.reopen()
        let account = try await erased(on: site)
        try site.reopen()
        #expect(try !hasKey(account, on: site))
    }

    @Test("A log that was rolled back is searched from its beginning")
    func rolledBackLog() async throws {
        let site = try Site()
        let account = try await erased(on: site)
        try site.close()
        try FileManager.default.copyItem(atPath: site.folder.path + "/log", toPath: site.folder.path + "/older")
        try site.open()
        _ = try await site.service.register(phone(2))
        try site.reopen()
        try makeKeyAgain(of: account, on: site)
        try site.close()
        for name in ["log", "derived", "checkpoint"] { try FileManager.default.removeItem(atPath: site.folder.path + "/" + name) }
        try FileManager.default.moveItem(atPath: site.folder.path + "/older", toPath: site.folder.path + "/log")
        try site.open()
        #expect(try !hasKey(account, on: site))
    }

    @Test("A different log is searched from its beginning, even if it has as many events")
    func differentLog() async throws {
        let site = try Site()
        let account = try await erased(on: site)
        try site.reopen()
        try makeKeyAgain(of: account, on: site)
        let note = try #require(try forged(site))
        #expect(!note.holds(in: site.service.log))
        try site.reopen()
        #expect(try !hasKey(account, on: site))
    }

    /// Replaces the stored `ErasureNote` with the note of a different log that has the same number of events, and returns it.
    private func forged(_ site: Site) throws -> ErasureNote? {
        var bytes = try ErasureNote(of: site.service.log).bytes
        bytes[20] ^= 1
        let store = site.service.keyStore
        try store.state.withLock { state in
            let file = try store.opened(&state)
            try file.put([(file.meta, KeyFile.Entry.erasures.name, bytes)])
        }
        return ErasureNote(bytes.span)
    }
}
