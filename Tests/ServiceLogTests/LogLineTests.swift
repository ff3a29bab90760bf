import Foundation
import Logging
import ServiceLog
import Synchronization
import Testing

/// Lines of the log in both formats, with texts that try to imitate other lines or fields.
@Suite struct LogLineTests {
    private static let hostile = [
        "two\nlines", "return\rback", "tab\t", "\u{1b}[31mred", "nul\u{0}", "del\u{7f}", "c1\u{9b}31m", "sep\u{2028}par\u{2029}",
        "rtl\u{202e}txet",
        "isolate\u{2067}", "zero\u{200b}width", "bom\u{feff}", "tag\u{e0041}", "quote\" event=server.stopped", "back\\slash",
        "} , {\"event\":\"x\"}", "",
        String(repeating: "long \"", count: 5_000), "日本茶 ☕️", "emoji 👩‍🌾",
    ]

    private func line(_ value: String, _ format: LogFormat) -> [UInt8] {
        LogLine(
            time: "2026-11-25T13:00:00.000Z", level: "info", event: "request.failed", message: value,
            fields: [("detail", value), (value, "a value")]
        ).bytes(format)
    }

    private func isRaw(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    @Test("A JSON line is one object on one line, and gives the text back", arguments: hostile)
    func json(_ value: String) throws {
        let bytes = line(value, .json)
        #expect(bytes.last == UInt8(ascii: "\n") && bytes.count { $0 == UInt8(ascii: "\n") } == 1 && bytes.count <= LogLine.bytesMax)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: String])
        #expect(object["event"] == "request.failed" && object["level"] == "info")
        let expected = value.utf8.count > LogLine.valueBytesMax ? String(value.prefix(LogLine.valueBytesMax)) + "…" : value
        #expect(object["detail"] == expected && object["message"] == expected)
        #expect(!String(decoding: bytes.dropLast(), as: UTF8.self).unicodeScalars.contains(where: isRaw))
    }

    @Test("A text line is one line, and no value can add a field to it", arguments: hostile)
    func text(_ value: String) {
        let bytes = line(value, .text)
        let text = String(decoding: bytes.dropLast(), as: UTF8.self)
        #expect(bytes.last == UInt8(ascii: "\n") && !text.unicodeScalars.contains(where: isRaw))
        #expect(text.hasPrefix("2026-11-25T13:00:00.000Z info request.failed \""))
        var (isInside, isEscaped, outside) = (false, false, "")
        for character in text {
            if !isInside, character != "\"" { outside.append(character) }
            if character == "\"", !isEscaped { isInside.toggle() }
            isEscaped = character == "\\" && !isEscaped
        }
        #expect(!isInside && !outside.contains(" event="), "\(text)")
    }

    @Test("A line has a bounded length, and says how many fields were left out", arguments: LogFormat.allCases)
    func bounded(_ format: LogFormat) {
        let fields = (0..<500).map { ("field\($0)", String(repeating: "\u{1}", count: 3_000)) }
        let bytes = LogLine(time: "t", level: "info", event: "library", message: "m", fields: fields).bytes(format)
        #expect(bytes.count <= LogLine.bytesMax)
        #expect(String(decoding: bytes, as: UTF8.self).contains("omitted"))
    }

    @Test("A long name of an event is cut, as the name of a field is", arguments: LogFormat.allCases)
    func longNames(_ format: LogFormat) {
        let (kept, long) = (String(repeating: "e", count: LogLine.nameBytesMax), String(repeating: "e", count: 100_000))
        let bytes = LogLine(time: "t", level: "info", event: long, message: "m", fields: [(long, "v")]).bytes(format)
        let expected =
            switch format {
            case .text: "t info \(kept)_ \"m\" \(kept)_=v\n"
            case .json: #"{"time":"t","level":"info","event":"\#(kept)…","message":"m","\#(kept)…":"v"}"# + "\n"
            }
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test("Fields that are named like the line's own get other names")
    func reserved() throws {
        let fields = [("event", "fake"), ("time", "never"), ("event", "again")]
        let bytes = LogLine(time: "t", level: "info", event: "server.started", message: "m", fields: fields).bytes(.json)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: String])
        #expect(
            object == [
                "time": "t", "level": "info", "event": "server.started", "message": "m", "event_": "fake", "time_": "never",
                "event__": "again",
            ])
    }

    private final class Lines: Sendable {
        let all = Mutex<[[UInt8]]>([])
        func last() throws -> [String: String] {
            let bytes = all.withLock { $0.last ?? [] }
            return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: String])
        }
    }

    @Test("The handler gives each line its event, request and fields; lines of libraries name their logger")
    func handler() throws {
        let lines = Lines()
        var logger = Logger(label: "tea") { label in
            ServiceLogHandler(label: label, format: .json, level: .info) { line in lines.all.withLock { $0.append(line) } }
        }
        logger[metadataKey: "hb.request.id"] = "abc"
        logger.report(.modelStopped, at: .error, "a read model has stopped", ["model": "cards"])
        var object = try lines.last()
        #expect(object.removeValue(forKey: "time")?.hasSuffix("Z") == true)
        #expect(
            object == [
                "level": "error", "event": "model.stopped", "message": "a read model has stopped", "model": "cards", "requestId": "abc",
            ])
        logger.info("hello", metadata: ["list": ["a", "b"]])
        #expect(try lines.last()["event"] == "library" && lines.last()["logger"] == "tea")
        logger.debug("not shown")
        #expect(lines.all.withLock { $0.count } == 2)
    }

    @Test("Each event has a name of its own, and the runbook explains it")
    func names() throws {
        let runbook = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tools/deploy/RUNBOOK.md")
        let text = try String(contentsOf: runbook.standardizedFileURL, encoding: .utf8)
        #expect(Set(ServiceEvent.allCases.map(\.rawValue)).count == ServiceEvent.allCases.count)
        for event in ServiceEvent.allCases { #expect(text.contains("| `\(event.rawValue)` |"), "\(event.rawValue)") }
    }
}
