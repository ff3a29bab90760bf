import EventLog
import Foundation
import Testing

/// The name of a log, which is set once and permanently.
@Suite(.temporaryFolder) struct OriginTests {
    private static let byCreation = "greentea.invalid/log/1700000000000000"

    private func named(_ origin: String?) -> EventLog.Options {
        var options = EventLog.Options()
        options.origin = origin
        return options
    }

    private func origin(
        of sandbox: Sandbox, asking asked: String? = nil, _ access: EventLog.Access = .readWrite
    ) throws(EventLogError) -> String {
        try sandbox.open(access, created: 5, options: named(asked)).origin
    }

    private func refusal(_ body: () throws -> Void) -> EventLogError? {
        #expect(throws: EventLogError.self) { try body() }
    }

    @Test("A log without a given name is named after its creation")
    func aLogThatNobodyNamesIsNamedAfterItsCreation() throws {
        let sandbox = try Sandbox()
        #expect(try sandbox.open().origin == Self.byCreation)
        for access in [EventLog.Access.readOnly, .readWrite] { #expect(try origin(of: sandbox, access) == Self.byCreation) }
    }

    @Test("A given name is kept")
    func aGivenNameIsKept() throws {
        let sandbox = try Sandbox()
        #expect(try origin(of: sandbox, asking: "tea.example/log") == "tea.example/log")
        #expect(try origin(of: sandbox) == "tea.example/log")
        #expect(try origin(of: sandbox, asking: "tea.example/log", .readOnly) == "tea.example/log")
    }

    @Test("Another name than the stored one is refused for reading and for writing", arguments: [EventLog.Access.readOnly, .readWrite])
    func anotherNameIsRefusedByBoth(_ access: EventLog.Access) throws {
        let sandbox = try Sandbox()
        _ = try origin(of: sandbox, asking: "tea.example/log")
        let error = refusal { _ = try origin(of: sandbox, asking: "other.example", access) }
        #expect(error?.code == .otherOrigin && error?.remedy.isEmpty == false)
        #expect(error?.detail.contains("tea.example/log") == true && error?.detail.contains("other.example") == true)
        #expect(try origin(of: sandbox) == "tea.example/log")
    }

    @Test(
        "An invalid name is refused before anything is created",
        arguments: ["", "https://tea.example", "tea.example/", "a b", "a+b", "a\nb"])
    func whatIsNoNameIsRefused(_ name: String) throws {
        let sandbox = try Sandbox()
        #expect(refusal { _ = try origin(of: sandbox, asking: name) }?.code == .invalidOrigin)
        #expect(!FileManager.default.fileExists(atPath: sandbox.log), "a refused opening makes no folder")
        #expect(try sandbox.open().origin == Self.byCreation)
    }

    /// The first version stored no names. Reading such a log changes nothing, and the first opening for writing names it.
    @Test("A log of the first version gets its name when it is opened for writing")
    func anOldLogIsNamedWhenItIsWritten() throws {
        let sandbox = try OldLogTests.restored()
        #expect(try origin(of: sandbox, .readOnly) == Self.byCreation)
        #expect(try origin(of: sandbox, asking: "tea.example/log") == "tea.example/log")
        #expect(refusal { _ = try origin(of: sandbox, asking: Self.byCreation) }?.code == .otherOrigin)
    }
}
