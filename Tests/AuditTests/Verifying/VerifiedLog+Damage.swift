import Foundation
import Histories
import Loyalty
import Testing

/// Damage that a faulty disk or memory does to a log's file.
extension VerifiedLog {
    static let pageBytes = 4_096

    /// Changes one bit of a record and leaves the structure of its page intact.
    func changeRecord(of fact: Fact) throws {
        let actor = Data((0..<16).map { UInt8(truncatingIfNeeded: fact.actor.value >> (8 * UInt128($0))) })
        var bytes = try Data(contentsOf: file)
        bytes[try #require(bytes.range(of: actor)).lowerBound] ^= 4
        try bytes.write(to: file)
    }

    /// Overwrites a page.
    func overwrite(page: Int, with bytes: Data) throws {
        var content = try Data(contentsOf: file)
        content.replaceSubrange(page * Self.pageBytes..<(page + 1) * Self.pageBytes, with: bytes)
        try content.write(to: file)
    }

    var pages: Int { ((try? Data(contentsOf: file).count) ?? 0) / Self.pageBytes }
}
