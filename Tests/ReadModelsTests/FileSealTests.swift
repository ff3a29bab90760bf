import Foundation
import Histories
import Testing

@testable import Projections

/// The checksum of a generation's whole file.
@Suite struct FileSealTests {
    /// A folder in the file's place can be opened like a file, but each read of it fails.
    @Test("A file that cannot be read to its end gets no checksum, and matches none")
    func unreadable() throws {
        let folder = TestData().path
        try FileManager.default.createDirectory(atPath: folder + "/data", withIntermediateDirectories: true)
        let seal = FileSeal(in: folder, file: "data")
        #expect(throws: (any Error).self) { try seal.write() }
        #expect(seal.text == nil)
        // The checksum of an empty file, to which a read error must not be equal.
        try Data("cbf29ce484222325\n".utf8).write(to: URL(fileURLWithPath: folder + "/seal"))
        #expect(seal.text == "cbf29ce484222325")
        #expect(!seal.holds && !seal.holds(as: "cbf29ce484222325"))
    }

    @Test("A changed file does not match its checksum, and an unchanged one does")
    func changed() throws {
        let folder = TestData().path
        let file = URL(fileURLWithPath: folder + "/data")
        try Data("rows of a model".utf8).write(to: file)
        let seal = FileSeal(in: folder, file: "data")
        try seal.write()
        let text = try #require(seal.text)
        #expect(seal.holds && seal.holds(as: text))
        #expect(!seal.holds(as: text, unless: { true }), "a stop ends the reading of the file")
        try Data("rows of a modem".utf8).write(to: file)
        #expect(!seal.holds && !seal.holds(as: text))
    }
}
