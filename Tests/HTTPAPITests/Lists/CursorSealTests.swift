import Testing

@testable import HTTPAPI

@Suite("Cursor seals")
struct CursorSealTests {
    private let seal = CursorSeal(seed: Array(repeating: 1, count: 32))

    @Test("A cursor reads back unchanged, even in a later process", arguments: [0, 1, 1 << 64, UInt128.max])
    func readsBack(_ place: UInt128) throws {
        let text = seal.text(place, in: "list")
        #expect(try CursorSeal(seed: Array(repeating: 1, count: 32)).place(text, in: "list") == place)
        #expect(text.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "=") })
    }

    @Test("A cursor is valid for one list and one service only")
    func bound() {
        let text = seal.text(7, in: "list")
        #expect(throws: Problem.self) { try seal.place(text, in: "other") }
        #expect(throws: Problem.self) { try CursorSeal(seed: Array(repeating: 2, count: 32)).place(text, in: "list") }
    }

    @Test("A cursor that was changed anywhere is rejected")
    func tampered() {
        let text = Array(seal.text(7, in: "list").utf8)
        for index in text.indices {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: Problem.self) { try seal.place(String(decoding: changed, as: UTF8.self), in: "list") }
        }
        for foreign in [
            "", "A", "!!!", String(repeating: "A", count: 34), String(repeating: "é", count: 17),
            String(decoding: text, as: UTF8.self) + "A",
        ] {
            #expect(throws: Problem.self) { try seal.place(foreign, in: "list") }
        }
    }
}
