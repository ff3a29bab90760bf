package import EventLog
internal import Foundation

/// The child's statement after a commit that all events up to a position are stored. It is one line of the file ``fileName``.
package struct Acknowledgement: Hashable, Sendable {
    /// The name of the file in the recorded folder. Simulated power cuts do not affect this file, because an acknowledgement counts as
    /// received as soon as its line is written.
    package static let fileName = "acks"

    /// The last position that is stored.
    package let head: Position
    /// The digest of all records through ``head``, as the child read them from the log.
    package let digest: UInt64

    /// Creates an acknowledgement to write.
    package init(head: Position, digest: UInt64) {
        self.head = head
        self.digest = digest
    }

    /// Parses a line; nil for a truncated one.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 3, words[2] == "." else { return nil }
        guard let head = UInt64(words[0]), let digest = UInt64(words[1], radix: 16) else { return nil }
        self.init(head: Position(head), digest: digest)
    }

    /// The acknowledgement as a line of text. The full stop at the end proves that the line is complete.
    package var line: String { "\(head) \(String(digest, radix: 16)) .\n" }

    /// The last complete acknowledgement in a text; nil if there is none.
    package static func last(in bytes: [UInt8]) -> Acknowledgement? {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").reversed().lazy.compactMap { Acknowledgement(line: $0) }.first
    }

    /// The last complete acknowledgement that a child has left in a folder.
    package static func last(inFolder folder: String) -> Acknowledgement? {
        FileManager.default.contents(atPath: folder + "/" + fileName).flatMap { last(in: [UInt8]($0)) }
    }
}
