import Testing

@testable import Archive
@testable import Audit

/// Changes that the schema gate refuses or accepts, and the advice in its refusals.
@Suite struct SchemaRefusalTests {
    private static let yesterday: [(name: String, value: String)] = [
        ("type 41", "CardStamped"), ("tag 5", "card"), ("version ShopOpened.v1", "readable"), ("version ShopOpened.v2", "readable"),
        ("field CardOpened.1", "goal, uint32"), ("event CardOpened.v1 bytes", "aa"), ("event CardOpened.v1 fact", "bb"),
        ("log log-1 bytes", "cc"), ("log log-1 facts", "dd"), ("log log-1 model ratings.v2", "ee"),
    ]

    /// Freezes the values of `yesterday`, replaces some of them with those of `today`, and returns the changes that the schema gate
    /// refuses. A nil value removes the entry.
    private func refusals(_ today: [String: String?], changes: String = "", frozen: String? = nil) -> [String] {
        var record = FrozenSchema("")
        record.add(SchemaState(values: Self.yesterday))
        var values = Self.yesterday.compactMap { name, value in
            today[name].map { changed in changed.map { (name: name, value: $0) } } ?? (name: name, value: value)
        }
        for (name, value) in today.sorted(by: { $0.key < $1.key }) where !Self.yesterday.contains(where: { $0.name == name }) {
            values.append((name, value ?? ""))
        }
        let gate = SchemaGate(
            frozen: FrozenSchema(frozen ?? record.text), changes: SchemaChanges(changes), state: SchemaState(values: values))
        return gate.refusals
    }

    private var frozenText: String {
        var record = FrozenSchema("")
        record.add(SchemaState(values: Self.yesterday))
        return record.text
    }

    @Test("A schema without changes is not refused")
    func noChangeIsNotRefused() { #expect(refusals([:]) == []) }

    @Test(
        "A change that makes stored events unreadable is refused even with a written reason",
        arguments: [
            ("type 41", "CardDiscarded", "new number"), ("type 41", nil, "new number"), ("tag 5", "cards", "new number"),
            ("tag 5", "card, not indexed", "new number"), ("version ShopOpened.v2", nil, "none is lowered"),
            ("version ShopOpened.v1", nil, "keep an upcaster"), ("event CardOpened.v1 bytes", nil, "never deleted"),
            ("event CardOpened.v1 bytes", "ab", "restore it"), ("log log-1 bytes", nil, "restore it"),
        ] as [(String, String?, String)])
    func alwaysRefused(name: String, value: String?, remedy: String) throws {
        let old = try #require(Self.yesterday.first { $0.name == name }).value
        let reason = SchemaChanges.line(name, old, value ?? "gone") + "because somebody wants it so"
        #expect(refusals([name: value]).first?.contains(remedy) == true)
        // Even with a written reason, these changes are refused.
        #expect(!refusals([name: value], changes: reason).isEmpty)
    }

    @Test(
        "A change of the meaning of stored events is refused without a written reason for that very change",
        arguments: [
            ("event CardOpened.v1 fact", "refused: damagedPayload"), ("field CardOpened.1", "reward, string"), ("log log-1 facts", "d0"),
            ("log log-1 model ratings.v2", "e0"), ("log log-1 model ratings.v2", nil),
        ] as [(String, String?)])
    func neededReason(name: String, value: String?) throws {
        let old = try #require(Self.yesterday.first { $0.name == name }).value
        let line = SchemaChanges.line(name, old, value ?? "gone")
        let refused = refusals([name: value])
        #expect(refused.count == 1 && refused[0].contains(line) && refused[0].contains("CHANGES.md"))
        #expect(refusals([name: value], changes: "# Changes\n\n" + line + "the old words were wrong\n") == [])
        #expect(refusals([name: value], changes: line + "oops\n").count == 1, "one word is no reason")
        #expect(!refusals([name: value], changes: SchemaChanges.line(name, "xx", value ?? "gone") + "the old words were wrong").isEmpty)
    }

    @Test("A change that was taken back needs a written reason too")
    func changeTakenBack() {
        let line = SchemaChanges.line("log log-1 facts", "dd", "d0") + "times are shown exactly"
        #expect(refusals([:], changes: line).count == 1)
        #expect(refusals([:], changes: line + "\n" + SchemaChanges.line("log log-1 facts", "d0", "dd") + "nobody wanted that") == [])
    }

    @Test("A model's new version takes the place of the old one, and a lowered version is refused")
    func newVersion() {
        let new = "log log-1 model ratings.v3"
        let refused = refusals(["log log-1 model ratings.v2": nil, new: "ff"])
        #expect(refused.count == 1 && refused[0].contains("\(new) = ff is new"), "\(refused)")
        #expect(refusals(["log log-1 model ratings.v2": nil, "log log-1 model ratings.v1": "ff"]).count == 2, "a version that was lowered")
    }

    @Test("A new entry is refused until it is recorded")
    func newEntry() {
        let refused = refusals(["type 99": "CardFramed"])
        #expect(refused.count == 1 && refused[0].contains("GREENTEA_RECORD=1"))
    }

    @Test("Every changed or missing line of the record is noticed")
    func brokenRecord() {
        let lines = frozenText.split(separator: "\n").map(String.init)
        #expect(FrozenSchema(frozenText).brokenLine == nil)
        for index in lines.indices {
            var changed = lines
            changed[index] += "x"
            #expect(FrozenSchema(changed.joined(separator: "\n")).brokenLine == index + 1)
            var fewer = lines
            fewer.remove(at: index)
            let broken = FrozenSchema(fewer.joined(separator: "\n"))
            // Each line contains the hash of the previous line, so removing the last line breaks no hash. The gate then refuses the entry
            // of the removed line, because it seems new.
            #expect(broken.brokenLine == (index == lines.count - 1 ? nil : index + 1))
            #expect(!refusals([:], frozen: fewer.joined(separator: "\n")).isEmpty)
        }
    }
}
