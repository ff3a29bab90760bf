import Testing

@testable import Archive
@testable import Audit

/// Parsing of `events.proto`, and decoding of payloads without it.
@Suite struct ProtoMessageTests {
    private static let text = """
        // Not this one.
        syntax = "proto3";
        option swift_prefix = "Wire";

        // About it.
        message CardOpened {
          // 1 to 50,
          // in stamps.
          uint32 goal = 1;
          optional bytes sealed_reward = 2;
          repeated Kind kinds = 15;

          enum Kind {
            KIND_UNSPECIFIED = 0;
            KIND_PAPER = 1;
          }
        }

        message CardShut {
          sfixed64 at = 3;
        }
        """

    @Test("A message is parsed with the number, name, type, label and comment of each field")
    func parsedFields() throws {
        let messages = ProtoMessage.all(in: Self.text)
        #expect(messages.map(\.name) == ["CardOpened", "CardShut"])
        let fields = try #require(messages.first).fields
        #expect(fields.map(\.number) == [1, 2, 15] && fields.map(\.name) == ["goal", "sealed_reward", "kinds"])
        #expect(fields.map(\.label) == ["", "optional", "repeated"] && fields.map(\.type) == ["uint32", "bytes", "Kind"])
        #expect(fields.map(\.comment) == ["1 to 50, in stamps.", "", ""])
        #expect(fields.map(\.isSealed) == [false, true, false] && fields.map(\.wireType) == [0, 2, 2])
        #expect(messages[0].values == ["Kind.0": "KIND_UNSPECIFIED", "Kind.1": "KIND_PAPER"])
        #expect(messages[1].fields.map(\.wireType) == [1])
    }

    @Test("A line that declares no field is skipped", arguments: ["reserved 2;", "reserved 2, 5;", "2;", "message", "enum"])
    func otherLines(line: String) {
        let text = "message Card {\n  \(line)\n  uint32 goal = 1;\n}"
        let messages = ProtoMessage.all(in: text)
        #expect(messages.map(\.name) == ["Card"] && messages.first?.fields.map(\.name) == ["goal"])
    }

    @Test("A payload shows the numbers and wire types of its fields, and a malformed one shows none")
    func payloadFields() {
        #expect(PayloadShape.fields(of: []) == [:])
        #expect(PayloadShape.fields(of: [0x08, 0x96, 0x01, 0x12, 2, 7, 7, 0x19, 1, 2, 3, 4, 5, 6, 7, 8]) == [1: 0, 2: 2, 3: 1])
        for bad: [UInt8] in [[0x08], [0x12, 3, 1], [0x00, 1], [0x0B], [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]] {
            #expect(PayloadShape.fields(of: bad) == nil)
        }
    }
}
