import Foundation
import Seeds
import Testing

@testable import HTTPAPI

@Suite("JSON parser")
struct JSONParserTests {
    /// Parses the text and writes the tree again with `JSONWriter`.
    private func rewritten(_ text: String) throws -> String {
        var json = JSONWriter()
        Self.write(try JSONParser.parse(Array(text.utf8)), to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func write(_ tree: JSONTree, to json: inout JSONWriter) {
        switch tree {
        case .null: json.null()
        case .bool(let flag): json.value(flag)
        case .number(let text): json.value(Double(text)!)
        case .string(let text): json.value(text)
        case .array(let elements): json.array(elements) { write($1, to: &$0) }
        case .object(let fields):
            json.object {
                for field in fields {
                    $0.name(field.name)
                    write(field.value, to: &$0)
                }
            }
        }
    }

    @Test(
        "Valid JSON is parsed",
        arguments: [
            ("{}", "{}"), (" [ ] ", "[]"), ("\t{\"a\" :\r\n1}", "{\"a\":1.0}"), ("[true,false,null]", "[true,false,null]"),
            ("[0,-0,-1.5,1e2,1E+2,1e-2]", "[0.0,-0.0,-1.5,100.0,100.0,0.01]"), ("\"\\u0041\\/\\b\\f\"", "\"A/\\u0008\\u000c\""),
            ("\"\\ud83e\\uDDCB\"", "\"🧋\""), ("\"奶茶\"", "\"奶茶\""), ("\"\\\\\\\"\"", "\"\\\\\\\"\""),
        ])
    func good(_ text: String, _ expected: String) throws {
        #expect(try rewritten(text) == expected)
    }

    @Test(
        "Invalid JSON is rejected",
        arguments: [
            "", " ", "{", "}", "[", "{]", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{,}", "[,]", "1 2", "+1", "01", "-",
            "1.", ".5",
            "1e", "1e+", "0x1", "nul", "TRUE", "NaN", "\"", "\"\\", "\"\\u12", "\"\\u12G4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
            "\"\\udc00\"", "\"\\x41\"", "\"\n\"", "\u{FEFF}{}", "// no\n1", "'a'",
        ])
    func bad(_ text: String) {
        #expect(throws: JSONParser.Malformed.self) { try JSONParser.parse(Array(text.utf8)) }
    }

    @Test("Nesting is accepted up to a depth of 32")
    func depth() throws {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ depth: Int) -> [UInt8] {
                Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
            }
            _ = try JSONParser.parse(nested(32))
            #expect(throws: JSONParser.Malformed.self) { try JSONParser.parse(nested(33)) }
            #expect(throws: JSONParser.Malformed.self) { try JSONParser.parse(nested(30_000)) }
        }
    }

    @Test("Randomly damaged JSON is rejected or parsed as Foundation parses it")
    func damage() throws {
        let seed = Seed.value
        let random = TestRandomness(seed: seed)
        let good = Array(#"{"name":"奶茶 \"A\" \n \u00e9","n":[1,-2.5e3,0,true,null],"o":{"k":{}}} "#.utf8)
        for _ in 0..<5_000 {
            var bytes = good
            for _ in 0...random.next() % 3 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
            guard let tree = try? JSONParser.parse(bytes) else { continue }
            var json = JSONWriter()
            Self.write(tree, to: &json)
            // Foundation must read every text that the parser accepts, with the same meaning. Numbers beyond the range of `Double` are the
            // exception: Foundation rejects them, and the parser leaves the check to the code that reads the number. Texts with such
            // numbers are skipped.
            if nulls(json.bytes) > nulls(bytes) { continue }
            #expect(try JSONValue(json.bytes) == JSONValue(bytes), "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private func nulls(_ bytes: [UInt8]) -> Int {
        String(decoding: bytes, as: UTF8.self).ranges(of: "null").count
    }
}
