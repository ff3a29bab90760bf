import Foundation
import Loyalty
import LoyaltyCodec
import NIOCore
import Seeds
import Testing

@testable import HTTPAPI

@Suite("JSON writer")
struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        body(&json)
        return json.bytes
    }

    @Test("A table of fields keeps its order, writes nil as null, and leaves out what is absent")
    func table() {
        let inner: JSONFields = ["b": 1, "a": "x", "nil": Int?.none]
        let more: JSONFields = ["gone": IfPresent(Int?.none), "there": IfPresent(true), "inner": inner, "list": [1.5, nil]]
        let expected = #"{"b":1,"a":"x","nil":null,"there":true,"inner":{"b":1,"a":"x","nil":null},"list":[1.5,null]}"#
        #expect(String(decoding: JSONWriter.written(inner + more).bytes, as: UTF8.self) == expected)
    }

    @Test("Fields keep the order of the calls, with commas between them")
    func order() {
        let bytes = written {
            $0.object {
                $0.field("b", 1)
                $0.field("a", "x")
                $0.array("list", [1, 2]) { $0.value($1) }
                $0.field("none", [String]())
                $0.object("inner") { $0.null("nothing") }
                $0.object("empty") { _ in }
                $0.field("flag", true)
            }
        }
        let expected = #"{"b":1,"a":"x","list":[1,2],"none":[],"inner":{"nothing":null},"empty":{},"flag":true}"#
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(
        "A written string reads back unchanged",
        arguments: [
            "", "plain", "\"quoted\" \\ back", "\u{0}\u{1}\u{1F}\u{7F}", "line\nline\r\ttab", "奶茶 🧋 👨‍👩‍👧", "مقهى الشاي",
            "\u{2028}\u{2029}", "e\u{301}", "a/b",
        ])
    func strings(_ text: String) throws {
        let bytes = written { json in json.object { $0.field("text", text) } }
        #expect(try JSONValue(bytes)["text"] == .string(text))
    }

    @Test("Foundation reads random strings back unchanged")
    func randomStrings() throws {
        let seed = Seed.value
        let random = TestRandomness(seed: seed)
        for _ in 0..<2_000 {
            let scalars = (0..<Int(random.next() % 24)).compactMap { _ in
                // Half of the scalars come from the ASCII range, which needs escapes, and the rest from anywhere. Surrogates are
                // not scalars and drop out.
                Unicode.Scalar(UInt32(random.next() % (random.next() % 2 == 0 ? 0x80 : 0x11_0000)))
            }
            let text = String(String.UnicodeScalarView(scalars))
            let bytes = written { json in json.array([text, text]) { $0.value($1) } }
            let read = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String]
            #expect(read?.map { Array($0.utf8) } == [Array(text.utf8), Array(text.utf8)], "seed \(seed)")
        }
    }

    @Test(
        "A written number reads back unchanged",
        arguments: [0, -0.0, 1, -1.5, 31.2304, 121.4737, 1e-7, 1e21, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 4.333333333333333])
    func doubles(_ number: Double) throws {
        let bytes = written { json in json.array([number]) { $0.value($1) } }
        #expect(try JSONValue(bytes)[0] == .number(number))
    }

    @Test("A number that JSON cannot express is written as null", arguments: [Double.nan, .infinity, -.infinity])
    func noNumbers(_ number: Double) throws {
        let bytes = written { json in json.array([number]) { $0.value($1) } }
        #expect(try JSONValue(bytes)[0] == .null)
    }

    @Test("The smallest and the largest unsigned integer are written exactly")
    func integers() {
        let bytes = written { json in json.array([UInt64.max, 0]) { $0.value($1) } }
        #expect(String(decoding: bytes, as: UTF8.self) == "[18446744073709551615,0]")
    }

    @Test("A time is written as its RFC 3339 text, whatever time was written before it")
    func times() {
        let random = TestRandomness(seed: 3)
        var times = [Int64.min, -1, 0, 1, 999, 86_399_999_999, 86_400_000_000, 951_782_400_000_000, 253_402_300_800_000_000, .max]
        for _ in 0..<2_000 { times.append(Int64(truncatingIfNeeded: random.next()) >> Int64(random.next() % 32)) }
        for place in times.indices { times.append(times[place] &+ Int64(random.next() % 90_000_000_000)) }
        let instants = times.map { Instant(microseconds: $0) }
        let bytes = written { json in json.array(instants) { $0.value($1) } }
        let expected = "[" + instants.map { "\"\($0.rfc3339)\"" }.joined(separator: ",") + "]"
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }
}
