import Audit
import Foundation
import Histories
import LMDB
import Testing

/// Files that a tool writes to a path given by its caller.
@Suite struct OutputFileTests {
    private let folder = TestData().path

    private func text(_ name: String) throws -> String { try String(contentsOfFile: folder + "/" + name, encoding: .utf8) }

    @Test func aFileIsWholeOrNotThere() throws {
        try OutputFile.write(Array("whole".utf8), to: folder + "/file")
        #expect(try text("file") == "whole")
        do {
            let file = try OutputFile(folder + "/file")
            try file.write(Array("hal".utf8))
        }
        #expect(try text("file") == "whole", "the old file stays until the new one is complete")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
    }

    @Test func aLinkIsFollowedAndStaysALink() throws {
        for name in ["target", "absent"] {
            let link = folder + "/to-" + name
            if name == "target" { try Data("old".utf8).write(to: URL(filePath: folder + "/target")) }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: name)
            try OutputFile.write(Array("new".utf8), to: link)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == name)
            #expect(try text(name) == "new")
        }
    }

    @Test func aPipeIsWrittenToDirectly() throws {
        let pipe = folder + "/pipe"
        try #require(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = try FileHandle(forUpdating: URL(filePath: pipe))
        try OutputFile.write(Array("tea".utf8), to: pipe)
        #expect(try reader.read(upToCount: 3) == Data("tea".utf8))
        guard case .other? = FileKind(at: pipe) else {
            Issue.record("the pipe was replaced")
            return
        }
    }

    @Test(arguments: ["nowhere/file", "file/below", "."]) func aFailedWriteIsExplained(place: String) throws {
        try Data().write(to: URL(filePath: folder + "/file"))
        let error = #expect(throws: AuditError.self) { try OutputFile.write([1], to: folder + "/" + place) }
        let text = try #require(error?.description)
        #expect(error?.code == .output && text.contains(place) && !text.contains("Domain"), "\(text)")
    }
}
