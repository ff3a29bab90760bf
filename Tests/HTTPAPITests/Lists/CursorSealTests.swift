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

    @Test("A hiding cursor reads back unchanged, shows nothing of its place, and is no cursor of a list that shows places")
    func hiding() throws {
        let (text, next) = (seal.hiding.text(7, in: "list"), seal.hiding.text(8, in: "list"))
        #expect(try CursorSeal(seed: Array(repeating: 1, count: 32)).hiding.place(text, in: "list") == 7)
        // These symbols are the version and high bytes of the place, which are zero in both.
        #expect(seal.text(7, in: "list").prefix(16) == seal.text(8, in: "list").prefix(16) && text.prefix(16) != next.prefix(16))
        let shown = seal.text(7, in: "list")
        #expect(throws: Problem.self) { try seal.place(text, in: "list") }
        #expect(throws: Problem.self) { try seal.hiding.place(shown, in: "list") }
    }
}
