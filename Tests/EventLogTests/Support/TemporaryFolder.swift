import Foundation
import Testing

/// Gives each test a folder and removes it after the test, whatever still refers to it.
struct TemporaryFolder: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var current: String?

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let path = NSTemporaryDirectory() + "greentea-eventlog-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await Self.$current.withValue(path) { try await function() }
    }
}

extension Trait where Self == TemporaryFolder {
    /// A separate folder for each test.
    static var temporaryFolder: TemporaryFolder { TemporaryFolder() }
}
