import Audit
import Foundation
import Histories
import LMDB
import Testing

/// Files that a tool writes to a path given by its caller.
@Suite struct OutputFileTests {
    private let folder = TestData().path

    private func text(_ name: String) throws -> String { try String(contentsOfFile: folder + "/" + name, encoding: .utf8) }

    @Test("A file appears only once it is complete, and an unfinished one leaves the old file in place")
    func wholeOrNot() throws {
        try OutputFile.write(Array("whole".utf8), to: folder + "/file")
        #expect(try text("file") == "whole")
        do {
            let file = try OutputFile(folder + "/file")
            try file.write(Array("hal".utf8))
        }
        #expect(try text("file") == "whole", "the old file stays until the new one is complete")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
    }

    @Test("While a file is written, a second writer of its path is refused and changes nothing")
    func aSecondWriterIsRefused() throws {
        let path = folder + "/file"
        var first: OutputFile? = try OutputFile(path)
        try first?.write(Array("first".utf8))
        let error = #expect(throws: AuditError.self) { try OutputFile.write(Array("second".utf8), to: path) }
        #expect(error?.code == .occupied && error?.detail.contains(path) == true)
        try first?.complete()
        #expect(try text("file") == "first")
        // The temporary name now belongs to the next writer, so the end of the first one must not remove its file.
        let next = try OutputFile(path)
        try next.write(Array("next".utf8))
        first = nil
        try next.complete()
        #expect(try text("file") == "next")
    }

    @Test("A writer that failed after its file got the final name removes nothing of the next writer")
    func aFailureAfterTheRenamingIsHarmless() throws {
        let path = folder + "/file"
        var first: OutputFile? = try OutputFile(path)
        try first?.write(Array("first".utf8))
        // This is the state after the folder could not be flushed: the file has its final name, and `complete()` has thrown an error.
        try FileManager.default.moveItem(atPath: PartialName.of(path), toPath: path)
        let next = try OutputFile(path)
        first = nil
        #expect(try text("file") == "first")
        try next.write(Array("next".utf8))
        try next.complete()
        #expect(try text("file") == "next")
    }

    @Test("What a killed writer left under the temporary name is not in the next file")
    func leftContentIsRemoved() throws {
        try Data("longer than the next file".utf8).write(to: URL(filePath: PartialName.of(folder + "/file")))
        try OutputFile.write(Array("whole".utf8), to: folder + "/file")
        #expect(try text("file") == "whole")
    }

    @Test("A link is followed and stays a link, whether or not its target exists")
    func followedLink() throws {
        for name in ["target", "absent"] {
            let link = folder + "/to-" + name
            if name == "target" { try Data("old".utf8).write(to: URL(filePath: folder + "/target")) }
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: name)
            try OutputFile.write(Array("new".utf8), to: link)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == name)
            #expect(try text(name) == "new")
        }
    }

    @Test("A pipe is written to directly and not replaced")
    func writtenPipe() throws {
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

    @Test("The error for a failed write names the path", arguments: ["nowhere/file", "file/below", "."])
    func failedWrite(place: String) throws {
        try Data().write(to: URL(filePath: folder + "/file"))
        let error = #expect(throws: AuditError.self) { try OutputFile.write([1], to: folder + "/" + place) }
        let text = try #require(error?.description)
        #expect(error?.code == .output && text.contains(place) && !text.contains("Domain"), "\(text)")
    }
}
