import Foundation
import LMDB
import Testing

@testable import EventLog

@Suite(.temporaryFolder) struct DerivedEnvironmentTests {
    private let key: [UInt8] = [1]

    private func put(_ value: UInt8, in derived: DerivedEnvironment) throws {
        let environment = derived.environment
        let table = try environment.table("t", .bytes)
        var transaction = try environment.write()
        let bytes = [value]
        try transaction.put(table, key.span, bytes.span)
        try transaction.commit()
    }

    private func value(in derived: DerivedEnvironment) throws -> UInt8? {
        let environment = derived.environment
        let table = try environment.table("t", .bytes)
        let snapshot = try environment.snapshot()
        guard let bytes = try snapshot.get(table, key.span) else { return nil }
        return bytes[0]
    }

    private func fill(_ folder: String, closing: Bool) throws {
        let derived = try DerivedEnvironment(directory: folder)
        #expect(derived.origin == .fresh(.missing))
        try put(7, in: derived)
        if closing {
            try derived.close()
            try derived.close()
        }
    }

    private func state(_ folder: String) throws -> String { try String(contentsOfFile: folder + "/state", encoding: .utf8) }

    private func setState(_ text: String, _ folder: String) throws {
        try text.write(toFile: folder + "/state", atomically: true, encoding: .utf8)
    }

    @Test("Content is kept within one boot, even without a close", arguments: [true, false])
    func contentIsKeptWithinOneBoot(closing: Bool) throws {
        let sandbox = try Sandbox()
        try fill(sandbox.path + "/d", closing: closing)
        let derived = try DerivedEnvironment(directory: sandbox.path + "/d")
        #expect(derived.origin == .kept)
        #expect(try value(in: derived) == 7)
    }

    @Test("The state file names the boot while the environment is open")
    func theStateSaysWhatIsGoingOn() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path + "/d"
        let derived = try DerivedEnvironment(directory: folder)
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #expect(try state(folder) == "open in boot " + boot)
        try derived.close()
        #expect(try state(folder) == "clean\n")
    }

    /// After a failed flush, the page cache may differ from the disk. So the stored content is discarded even within the same boot.
    @Test("Content is discarded after a failed flush")
    func afterAFailedFlushNothingIsTrusted() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path + "/d"
        do {
            let derived = try DerivedEnvironment(directory: folder)
            try put(7, in: derived)
            #expect(throws: EventLogError.self) {
                try derived.close { (_) throws(LMDBError) in throw .damagedContent("the disk refuses", in: folder) }
            }
        }
        #expect(try DerivedEnvironment(directory: folder).origin == .fresh(.uncleanStop))
    }

    /// The process may have no file descriptor left for writing the mark; removing the state file needs none.
    @Test("Content is discarded if the mark of a failed flush could not be written")
    func contentIsNotTrustedIfTheMarkCannotBeWritten() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path + "/d"
        try fill(folder, closing: false)
        try StateFile(in: folder).markUntrusted { (_) throws(EventLogError) in throw EventLogError(.io, "no descriptor is left") }
        #expect(try DerivedEnvironment(directory: folder).origin == .fresh(.uncleanStop))
    }

    @Test("The state after a close does not depend on the boot")
    func aCleanCloseSurvivesARestartOfTheMachine() throws {
        let sandbox = try Sandbox()
        try fill(sandbox.path + "/d", closing: true)
        #expect(try state(sandbox.path + "/d") == "clean\n", "the state does not depend on the boot")
    }

    @Test(
        "Content with any other state is discarded",
        arguments: ["open in boot 00000000-0000-0000-0000-000000000000\n", "", "clea", "open in boot \n", "clean\nclean\n"])
    func anyOtherStateMeansThatPagesMayBeLost(_ text: String) throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path + "/d"
        try fill(folder, closing: true)
        try setState(text, folder)
        let derived = try DerivedEnvironment(directory: folder)
        #expect(derived.origin == .fresh(.uncleanStop))
        #expect(try value(in: derived) == nil)
    }

    @Test("Content without a state is discarded")
    func aMissingStateMeansTheSame() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path + "/d"
        try fill(folder, closing: true)
        try FileManager.default.removeItem(atPath: folder + "/state")
        #expect(try DerivedEnvironment(directory: folder).origin == .fresh(.uncleanStop))
    }

    @Test("Damaged content is discarded")
    func damageIsThrownAway() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path + "/d"
        try fill(folder, closing: true)
        try Data(repeating: 1, count: 9_000).write(to: URL(fileURLWithPath: folder + "/data.mdb"))
        let derived = try DerivedEnvironment(directory: folder)
        #expect(derived.origin == .fresh(.damaged))
        #expect(try value(in: derived) == nil)
    }

    @Test("Discarding empties the environment and leaves other files of the folder")
    func discardingBeginsAgainAndTouchesNothingElse() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path + "/d"
        try fill(folder, closing: true)
        try Data().write(to: URL(fileURLWithPath: folder + "/notes.txt"))
        let derived = try DerivedEnvironment.discard(directory: folder)
        #expect(derived.origin == .fresh(.discarded))
        #expect(try value(in: derived) == nil)
        #expect(FileManager.default.fileExists(atPath: folder + "/notes.txt"))
    }

    @Test("An open environment is not discarded")
    func whatIsOpenCannotBeDiscarded() throws {
        let sandbox = try Sandbox()
        let folder = sandbox.path + "/d"
        let derived = try DerivedEnvironment(directory: folder)
        try put(3, in: derived)
        #expect(throws: EventLogError.self) { try DerivedEnvironment.discard(directory: folder) }
        #expect(throws: EventLogError.self) { try DerivedEnvironment(directory: folder) }
        #expect(try value(in: derived) == 3)
    }
}
