import Foundation
import Synchronization
import Testing
import TextMessages

@Suite(.timeLimit(.minutes(15))) struct FileTests {
    private let path = FileManager.default.temporaryDirectory.path + "/greentea-sms-" + UUID().uuidString

    private func lines() throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test("Each message is one line of a file that only its owner can read")
    func oneLine() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        for text in ["one\ntwo", "验证码 1"] {
            let sender = try FileSender(path: path) { 1_000 }
            try await sender.send(TextMessage(id: "m", phone: "+8613800138000", text: text))
            try await sender.close()
        }
        #expect(
            try lines() == [
                #"{"at":1000,"id":"m","text":"one\ntwo","to":"+8613800138000"}"#,
                #"{"at":1000,"id":"m","text":"验证码 1","to":"+8613800138000"}"#,
            ])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("A message stays in a file for two days at most, whether or not other messages come")
    func messagesAreErased() async throws {
        let old = path + ".old"
        defer { for file in [path, old] { try? FileManager.default.removeItem(atPath: file) } }
        let clock = Clock()
        let sender = try FileSender(path: path) { clock.now.withLock { $0 } }
        func send(_ id: String) async throws { try await sender.send(TextMessage(id: id, phone: "+8613800138000", text: "code")) }
        try await send("first")
        clock.now.withLock { $0 += Limits.fileSecondsMax - 1 }
        try await send("same day")
        #expect(try lines().count == 2 && !FileManager.default.fileExists(atPath: old))
        clock.now.withLock { $0 += 1 }
        try await send("next day")
        #expect(try lines().count == 1)
        #expect(try String(contentsOfFile: old, encoding: .utf8).contains("first"))
        #expect(try FileManager.default.attributesOfItem(atPath: old)[.posixPermissions] as? Int == 0o600)
        let reader = try #require(FileHandle(forReadingAtPath: old))
        clock.now.withLock { $0 += Limits.fileSecondsMax }
        try await send("day after")
        #expect(try !String(contentsOfFile: old, encoding: .utf8).contains("first"))
        #expect(try reader.readToEnd()?.allSatisfy { $0 == 0 } == true, "the file was overwritten before its removal")
        try await sender.close()
        // Old messages are also erased when the sender starts.
        clock.now.withLock { $0 += 2 * Limits.fileSecondsMax }
        try await FileSender(path: path) { clock.now.withLock { $0 } }.close()
        #expect(try lines().isEmpty)
    }

    @Test("If a gateway takes the file away, messages go to a new one, and the daily change loses none", arguments: ["moved", "removed"])
    func takenAway(how: String) async throws {
        let (old, taken) = (path + ".old", path + ".taken")
        defer { for file in [path, old, taken] { try? FileManager.default.removeItem(atPath: file) } }
        let clock = Clock()
        let sender = try FileSender(path: path) { clock.now.withLock { $0 } }
        func send(_ id: String) async throws { try await sender.send(TextMessage(id: id, phone: "+8613800138000", text: "code")) }
        func take() throws {
            if how == "moved" {
                try? FileManager.default.removeItem(atPath: taken)
                try FileManager.default.moveItem(atPath: path, toPath: taken)
            } else {
                try FileManager.default.removeItem(atPath: path)
            }
        }
        try await send("first")
        try take()
        try await send("same day")
        #expect(try lines().count == 1 && lines()[0].contains("same day"))
        try take()
        for id in ["next day", "day after"] {
            clock.now.withLock { $0 += Limits.fileSecondsMax }
            try await send(id)
            #expect(try lines().count == 1 && lines()[0].contains(id))
        }
        #expect(try String(contentsOfFile: old, encoding: .utf8).contains("next day"), "the daily change of files works as before")
        try await sender.close()
        await #expect(throws: TextMessageError.self) { try await send("closed") }
    }

    @Test("While a new file cannot be opened, old messages stay; once it can be opened, new messages go into it")
    func unopenedAfterTurn() async throws {
        let old = path + ".old"
        defer { for file in [path, old] { try? FileManager.default.removeItem(atPath: file) } }
        let clock = Clock()
        let files = FileManager.default
        let sender = try FileSender(path: path) { clock.now.withLock { $0 } }
        func send(_ id: String) async throws { try await sender.send(TextMessage(id: id, phone: "+8613800138000", text: "code")) }
        try await send("first")
        try files.moveItem(atPath: path, toPath: old)
        // A folder in the place of the new file cannot be opened as a file.
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        clock.now.withLock { $0 += Limits.fileSecondsMax }
        for _ in 1...2 { await #expect(throws: TextMessageError.self) { try await send("not sent") } }
        #expect(try String(contentsOfFile: old, encoding: .utf8).contains("first"), "the unread message is kept")
        try files.removeItem(atPath: path)
        try await send("second")
        #expect(try lines().count == 1 && lines()[0].contains("second"))
        try await sender.close()
    }

    private final class Clock: Sendable {
        let now = Mutex<Int64>(1_000)
    }

    @Test("A file that others could read is restricted to its owner")
    func restricted() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644]))
        try await FileSender(path: path) { 0 }.close()
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("Lines of concurrent messages do not mix")
    func concurrentMessages() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let sender = try FileSender(path: path) { 0 }
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask { try await sender.send(TextMessage(id: "\(number)", phone: "+1", text: String(repeating: "x", count: 500))) }
            }
            try await group.waitForAll()
        }
        try await sender.close()
        let ids = try lines().map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])["id"] as? String }
        #expect(Set(ids) == Set((0..<200).map { "\($0)" }))
    }

    @Test("After a line that a killed process or a full disk has cut short, each message is still a line of its own")
    func afterALineCutShort() async throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(#"{"at":1000,"id":"cut sh"#.utf8).write(to: URL(fileURLWithPath: path))
        let sender = try FileSender(path: path) { 1_000 }
        for id in ["one", "two"] { try await sender.send(TextMessage(id: id, phone: "+8613800138000", text: "code")) }
        try await sender.close()
        let lines = try lines()
        #expect(lines.count == 3, "\(lines)")
        #expect(lines.suffix(2).map { $0.hasPrefix(#"{"at":1000,"id":"one""#) || $0.hasPrefix(#"{"at":1000,"id":"two""#) } == [true, true])
    }

    @Test("A file that cannot be made is named in the error")
    func namedFile() {
        let error = #expect(throws: TextMessageError.self) { try FileSender(path: "/no/such/folder/sms") { 0 } }
        #expect(error?.description.contains("/no/such/folder/sms") == true)
    }
}
