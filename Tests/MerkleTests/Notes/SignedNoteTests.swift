import Merkle
import Testing

@Suite struct SignedNoteTests {
    /// The example of C2SP signed-note, signed by ``VerifierKeyTests/knownGood``.
    static let knownGood = """
        This is an example message.

        \u{2014} example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=

        """

    @Test("The specification's example note verifies")
    func theSpecificationsNoteVerifies() throws {
        let note = try SignedNote(Array(Self.knownGood.utf8))
        #expect(note.text.string == "This is an example message.\n")
        #expect(note.bytes == Array(Self.knownGood.utf8))
        let verified = try note.verifiedSignatures(by: [try VerifierKey(VerifierKeyTests.knownGood)])
        #expect(verified.map(\.key.name.string) == ["example.com/foo"] && verified[0].time == nil)
    }

    @Test(
        "A note is written as it was read",
        arguments: [
            "\n", "a\n", "a\n\nb\n", "\n\n\n", "\n\na\n", "a\n\n", "— a b\n", "奶茶\n", "a\n\n— not a signature\n", "\u{7F}\n",
        ])
    func notesComeBackAsTheyWere(_ text: String) throws {
        let signer = try TestKeys.log()
        let note = try signer.sign(text)
        let read = try SignedNote(note.bytes)
        #expect(read == note && read.text.string == text && read.bytes == note.bytes)
        #expect(try read.verifiedSignatures(by: [signer.verifierKey]).count == 1)
    }

    private static let line = "\u{2014} a AAAAAQAA\n"

    @Test(
        "Text that is no signed note is refused",
        arguments: [
            ("empty", ""), ("no signature", "a\n"), ("no empty line", "a\n" + line), ("no signature after the empty line", "a\n\n"),
            ("the last newline is missing", "a\n\n" + line.dropLast()), ("an empty line at the end", "a\n\n" + line + "\n"),
            ("text after the signatures", "a\n\n" + line + "b\n"), ("text among the signatures", "a\n\n" + line + "b\n" + line),
            ("a carriage return", "a\r\n\n" + line), ("a carriage return in the signature", "a\n\n\u{2014} a AAAAAQAA\r\n"),
            ("a tab", "a\tb\n\n" + line), ("a null", "a\0\n\n" + line), ("an escape", "a\u{1B}[1m\n\n" + line),
            ("a hyphen", "a\n\n- a AAAAAQAA\n"), ("an en dash", "a\n\n\u{2013} a AAAAAQAA\n"), ("no dash", "a\n\na AAAAAQAA\n"),
            ("no space", "a\n\n\u{2014}a AAAAAQAA\n"), ("no name", "a\n\n\u{2014}  AAAAAQAA\n"), ("only a name", "a\n\n\u{2014} a\n"),
            ("two spaces", "a\n\n\u{2014} a  AAAAAQAA\n"), ("a space at the end", "a\n\n\u{2014} a AAAAAQAA \n"),
            ("a plus in the name", "a\n\n\u{2014} a+b AAAAAQAA\n"), ("a wide space in the name", "a\n\n\u{2014} a\u{3000}b AAAAAQAA\n"),
            ("no signature bytes", "a\n\n\u{2014} a AAAAAQ==\n"), ("less than a key id", "a\n\n\u{2014} a AAAA\n"),
            ("no Base64", "a\n\n\u{2014} a AAAAAQA\n"), ("the other alphabet", "a\n\n\u{2014} a AAAAAQ-_\n"),
            ("bits in the padding", "a\n\n\u{2014} a AAAAAQB=\n"), ("a space before the dash", "a\n\n \u{2014} a AAAAAQAA\n"),
        ])
    func bytesThatAreNoNoteAreRefused(_ what: String, _ text: String) {
        #expect(refusal { _ = try SignedNote(Array(text.utf8)) } == .malformedNote, "\(what)")
    }

    @Test(
        "Invalid UTF-8 in a note's text or in a signature's name is refused",
        arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xE2, 0x80]] as [[UInt8]])
    func brokenUTF8IsRefused(_ bytes: [UInt8]) {
        let end = Array("\n\n\(Self.line)".utf8)
        #expect(refusal { _ = try SignedNote(bytes + end) } == .malformedNote)
        let name = Array("a\n\n\u{2014} ".utf8) + bytes + Array(" AAAAAQAA\n".utf8)
        #expect(refusal { _ = try SignedNote(name) } == .malformedNote)
    }

    @Test("A text without a final newline, or with a control character, is not signed", arguments: ["", "a", "a\nb", "a\r\n", "a\0\n"])
    func textsThatNoNoteMayHaveAreNotSigned(_ text: String) throws {
        let signer = try TestKeys.log()
        #expect(refusal { _ = try signer.sign(text) } == .malformedNote)
    }

    @Test("A note beyond the limits of its signatures and length is refused")
    func notesAreBounded() throws {
        let most = "a\n\n" + String(repeating: Self.line, count: MerkleLimits.signaturesMax)
        #expect(try SignedNote(Array(most.utf8)).signatures.count == MerkleLimits.signaturesMax)
        #expect(refusal { _ = try SignedNote(Array((most + Self.line).utf8)) } == .tooLarge)
        let rest = "\n\n" + Self.line
        let text = String(repeating: "a", count: MerkleLimits.noteBytesMax - rest.utf8.count)
        #expect(refusal { _ = try SignedNote(Array((text + rest).utf8)) } == nil)
        #expect(refusal { _ = try SignedNote(Array((text + "a" + rest).utf8)) } == .tooLarge)
        #expect(refusal { _ = try SignedNote(text: "a\n", signatures: []) } == .malformedNote)
    }

    /// After one bit is flipped, the bytes are either not a note, or a note that keeps exactly the changed bytes and does not verify.
    @Test("A note with any changed bit does not verify")
    func everyTurnedBitIsNoticed() throws {
        let signer = try TestKeys.log()
        let bytes = try signer.sign("one\ntwo\n").bytes
        for bit in 0..<bytes.count * 8 {
            var altered = bytes
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let note = try? SignedNote(altered) else { continue }
            #expect(note.bytes == altered)
            let code = refusal { _ = try note.verifiedSignatures(by: [signer.verifierKey]) }
            #expect(code == .badSignature || code == .unsigned, "bit \(bit)")
        }
    }

    @Test("A signature's line is written as it was read")
    func linesComeBackAsTheyWere() throws {
        let signature = try NoteSignature(line: String(Self.line.dropLast()))
        #expect(signature.name.string == "a" && signature.keyID.rawValue == 1 && signature.bytes == [0, 0])
        #expect(signature.line + "\n" == Self.line && "\(signature)" == signature.line)
        #expect(refusal { _ = try NoteSignature(line: Self.line) } == .malformedNote)
    }
}
