package import EventLog
internal import Foundation

/// What the child says after a commit: everything up to here is stored. One line of the file ``fileName``.
package struct Acknowledgement: Hashable, Sendable {
    /// The file in the recorded folder; to the power cut it is no file but a voice, heard at once.
    package static let fileName = "acks"

    /// The last position that is stored.
    package let head: Position
    /// The digest of every record up to there, as the child found it.
    package let digest: UInt64

    /// An acknowledgement to be written.
    package init(head: Position, digest: UInt64) {
        self.head = head
        self.digest = digest
    }

    /// A line as it was written; nil for one cut short.
    package init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 3, words[2] == "." else { return nil }
        guard let head = UInt64(words[0]), let digest = UInt64(words[1], radix: 16) else { return nil }
        self.init(head: Position(head), digest: digest)
    }

    /// The line, whose full stop proves it complete.
    package var line: String { "\(head) \(String(digest, radix: 16)) .\n" }

    /// The last complete one of a text; nil when there is none.
    package static func last(in bytes: [UInt8]) -> Acknowledgement? {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").reversed().lazy.compactMap { Acknowledgement(line: $0) }.first
    }

    /// The last complete one that a child has left in a folder.
    package static func last(inFolder folder: String) -> Acknowledgement? {
        FileManager.default.contents(atPath: folder + "/" + fileName).flatMap { last(in: [UInt8]($0)) }
    }
}
