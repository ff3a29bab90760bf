import Merkle
import Testing

@Suite struct CheckpointTests {
    private static let root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="

    /// The example of C2SP tlog-checkpoint.
    @Test("The specification's example checkpoint is read")
    func theSpecificationsCheckpointIsRead() throws {
        let text = "example.com/behind-the-sofa\n20852163\n\(Self.root)\n"
        let checkpoint = try Checkpoint(text: text)
        #expect(checkpoint.origin.string == "example.com/behind-the-sofa")
        #expect(checkpoint.size == 20_852_163 && checkpoint.root.base64 == Self.root && checkpoint.extensions.isEmpty)
        #expect(checkpoint.text == text)
        #expect(try Checkpoint(origin: "example.com/behind-the-sofa", size: 20_852_163, root: checkpoint.root) == checkpoint)
    }

    @Test("A size from 0 to 2^63 - 1 is written as it was read", arguments: ["0", "1", "9223372036854775807"])
    func sizesComeBackAsTheyWere(_ size: String) throws {
        #expect(try Checkpoint(text: "a\n\(size)\n\(Self.root)\n").text == "a\n\(size)\n\(Self.root)\n")
    }

    @Test("Extension lines of a checkpoint are kept", arguments: ["one\n", "one\ntwo\n", " \n", "奶茶\n"])
    func extensionsAreKept(_ lines: String) throws {
        let text = "a b\n7\n\(Self.root)\n" + lines
        #expect(try Checkpoint(text: text).text == text)
    }

    @Test(
        "Text that is no checkpoint, or has another spelling of its size or root, is refused",
        arguments: [
            "", "\n", "a\n", "a\n1\n", "a\n1\n\(root)", "\n1\n\(root)\n", "a\n\n\(root)\n", "a\n1\n\n", "a\n01\n\(root)\n",
            "a\n00\n\(root)\n",
            "a\n-1\n\(root)\n", "a\n+1\n\(root)\n", "a\n 1\n\(root)\n", "a\n1 \n\(root)\n", "a\n0x1\n\(root)\n", "a\n1e3\n\(root)\n",
            "a\n9223372036854775808\n\(root)\n", "a\n18446744073709551617\n\(root)\n", "a\n1\n\(root.dropLast())\n", "a\n1\n\(root)=\n",
            "a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2J=\n", "a\n1\n \(root)\n", "a\n1\nAAAA\n", "a\n1\n\(root)\n\n",
            "a\n1\n\(root)\nb\n\n",
            "a\n1\n\(root)\nb", "a\n1\n\(root)\n\nb\n", "a\r\n1\n\(root)\n", "a\n1\r\n\(root)\n", "a\n1\n\(root)\r\n",
            "a\tb\n1\n\(root)\n",
            "a\n1\n\(root)\nb\0\n", "a\n1\n\(root)\n" + String(repeating: "b\n", count: 17),
        ])
    func otherTextIsRefused(_ text: String) {
        #expect(refusal { _ = try Checkpoint(text: text) } == .malformedCheckpoint)
    }

    @Test("A checkpoint that could not be read is not made")
    func whatCannotBeReadIsNotMade() {
        for origin in ["", "a\nb", "a\r", "\0"] {
            #expect(refusal { _ = try Checkpoint(origin: origin, size: 0, root: TreeHasher.emptyRoot) } == .malformedCheckpoint)
        }
        #expect(refusal { _ = try Checkpoint(origin: "a", size: 1 << 63, root: TreeHasher.emptyRoot) } == .malformedCheckpoint)
    }

    /// The reference implementation gives the same root for the empty tree.
    @Test("The checkpoint of an empty tree has the hash of no bytes as its root")
    func anEmptyTreesCheckpoint() throws {
        let checkpoint = try Checkpoint(origin: "a", size: 0, root: TreeHasher.emptyRoot)
        #expect(checkpoint.text == "a\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n")
    }
}
