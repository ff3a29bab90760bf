internal import EventLog

/// What a rebuild asks the server to do: put a generation into use that is complete up to a position.
///
/// It lies as a file in the model's folder, one `name value` a line, and ends with `end`, so that a part of it says nothing.
package struct Handover: Hashable, Sendable {
    package let generation: Generation
    /// Where the generation stands, and the hash of the record there.
    package let mark: ModelMark
    /// SHA-256 of the content, as the tool compared it with a replay; empty where it was not compared.
    package let digest: String
    /// Of the file as it was closed: what the server compares before it relies on it.
    package let seal: String
    /// Whether the generation that it replaces is kept as the previous one.
    package let keepsOld: Bool

    package init(_ generation: Generation, at mark: ModelMark, digest: String, seal: String, keepsOld: Bool) {
        (self.generation, self.mark, self.digest, self.seal, self.keepsOld) = (generation, mark, digest, seal, keepsOld)
    }

    /// The file's content.
    package var text: String {
        """
        generation \(generation.text)
        position \(mark.position)
        fingerprint \(mark.fingerprint)
        digest \(digest)
        seal \(seal)
        keep \(keepsOld)
        end

        """
    }

    /// Nil for anything but ``text`` of some hand-over.
    package init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 8, lines[6] == "end", lines[7].isEmpty else { return nil }
        func value(_ index: Int, _ name: String) -> String? {
            lines[index].hasPrefix(name + " ") ? String(lines[index].dropFirst(name.count + 1)) : nil
        }
        guard let generation = value(0, "generation").flatMap({ Generation(text: $0) }),
            let position = value(1, "position").flatMap({ UInt64($0) }),
            let fingerprint = value(2, "fingerprint").flatMap({ UInt64($0) }), let digest = value(3, "digest"),
            let seal = value(4, "seal"), let keepsOld = value(5, "keep").flatMap({ Bool($0) })
        else { return nil }
        let mark = ModelMark(position: Position(position), fingerprint: fingerprint)
        self.init(generation, at: mark, digest: digest, seal: seal, keepsOld: keepsOld)
    }
}
