import Foundation
import HTTPTypes
import Testing

/// One transcript for each use case. `GREENTEA_RECORD=1` records them again.
@Suite("Use cases", .timeLimit(.minutes(15)))
struct UseCaseTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Fixtures/http")
    private static var isRecording: Bool { ProcessInfo.processInfo.environment["GREENTEA_RECORD"] == "1" }

    @Test("A use case matches its recorded transcript", arguments: UseCase.all.filter(\.isBuilt))
    func transcript(_ useCase: UseCase) async throws {
        let text = try await Self.played(useCase)
        let file = Self.folder.appending(path: useCase.name + ".txt")
        if Self.isRecording { try Data(text.utf8).write(to: file) }
        let recorded = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        for (line, (now, then)) in zip(text.split(separator: "\n"), recorded.split(separator: "\n")).enumerated() {
            try #require(now == then, "line \(line + 1) of \(useCase.name).txt")
        }
        #expect(text == recorded)
    }

    private static func played(_ useCase: UseCase) async throws -> String {
        try await Places.take {
            let stage = try Stage(randomness: TestRandomness(seed: 1))
            defer { stage.strike() }
            return try await stage.perform { stage, visitor in
                let director = Director(visitor: visitor, clock: stage.clock, service: stage.service)
                try await useCase.play(director)
                return "# \(useCase.title)\n" + director.transcript.text
            }
        }
    }

    @Test("Every built operation occurs in some transcript")
    func complete() throws {
        let described = Set(try Described().operations.map(\.name)).subtracting(NotBuilt.operations)
        var told: Set<String> = []
        for useCase in UseCase.all where useCase.isBuilt {
            let text = try String(contentsOf: Self.folder.appending(path: useCase.name + ".txt"), encoding: .utf8)
            for request in text.matches(of: #/(?m)^\w+> ([A-Z]+) ([^?\n]+)/#) {
                told.formUnion(described.filter { Self.isRequest(String(request.1), String(request.2), of: $0) })
            }
        }
        // Two operations are exempt. The event stream does not end and has a transcript of its own. The JSON description is too long for a
        // transcript.
        #expect(try String(contentsOf: LiveTranscriptTests.file, encoding: .utf8).contains("> GET /v1/me/events\n"))
        #expect(described.subtracting(told).subtracting(["GET /v1/me/events", "GET /openapi.json"]).sorted() == [])
    }

    @Test("Every transcript belongs to a use case")
    func leftovers() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".txt") }
        let known = UseCase.all.map { $0.name + ".txt" } + ["story.txt", "live.txt", "not-built.txt"]
        #expect(Set(files).subtracting(known).sorted() == [])
    }

    /// Whether a request belongs to an operation of the API description. An ID, a number, a badge or the code of a paper card matches a
    /// parameter of the operation's path, and the path of a tile matches the parameter `{path}`.
    private static func isRequest(_ method: String, _ path: String, of operation: String) -> Bool {
        let parts = operation.split(separator: " ")
        guard parts[0] == method else { return false }
        let (expected, given) = (parts[1].split(separator: "/"), path.replacing(#/<[^>]*>/#, with: "{}").split(separator: "/"))
        if expected.last == "{path}" { return given.count > expected.count - 1 && given.first == expected.first }
        guard expected.count == given.count else { return false }
        return zip(expected, given).allSatisfy { name, text in
            name == text || (name.hasPrefix("{") && (text == "{}" || Int(text) != nil || [16, 64].contains(text.count)))
        }
    }
}
