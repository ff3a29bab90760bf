import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Pictures that a shop shows and whose files something has deleted.
    @Suite struct MissingPicturesTests {
        private let png = Data(
            base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

        /// Starts a server with a shop that shows a picture.
        private func shown(in folder: TemporaryFolder) throws -> Server {
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            // A loaded machine does not decode a picture in time, and the server answers 503.
            var answer = try counter.owner.upload(#require(png))
            try eventually("the picture is stored") {
                if answer.status == 503 { answer = try counter.owner.upload(#require(png)) }
                return answer.status != 503
            }
            let picture: Thing = try answer.read(status: 201)
            let edited = try counter.owner.send(
                "PATCH", "/v1/shops/\(counter.shop)", json: #"{"images":["\#(picture.id)"]}"#, headers: ["If-Match": "*"])
            #expect(edited.status == 200, "\(edited.text)")
            return server
        }

        private func audit(_ folder: TemporaryFolder, _ arguments: String...) throws -> Finished {
            let program = try Program("greentea-audit", arguments + ["--data", folder.data], in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        @Test("Deleted pictures are counted by verify, doctor, backup and drill, and a file that is put back ends that")
        func counted() throws {
            let folder = try TemporaryFolder()
            #expect(try shown(in: folder).stop() == 0)
            let (copies, blobs) = (folder.file("copies"), folder.data + "/blobs")
            let drill = ["drill", "--in", copies, "--scratch", folder.path]
            let commands = [["verify"], ["backup", "--in", copies], ["backup", "--in", copies, "--incremental"], drill]
            func run(_ words: [String]) throws -> Finished {
                let program = try Program("greentea-audit", words + ["--data", folder.data], in: folder)
                let status = try program.wait()
                return Finished(status: status, output: program.output, errors: program.errors)
            }
            for words in commands { #expect(try run(words).status == 0, "\(words)") }
            #expect(try run(["doctor"]).output.contains("ok  pictures: "))
            try FileManager.default.moveItem(atPath: blobs, toPath: folder.file("kept"))
            for words in commands + [["drill", "--scratch", folder.path]] {
                let finished = try run(words)
                #expect(finished.status == 1 && finished.output.contains("missing picture: "), "\(words): \(finished)")
                #expect(!finished.output.contains("lost 0"), "\(words): \(finished)")
                let json = try run(words + ["--json"])
                #expect(json.status == 1 && json.output.contains(#""missingPictures":[""#), "\(words): \(json)")
            }
            let warned = try run(["doctor"])
            #expect(warned.output.contains("warning  pictures: 1 "), "\(warned)")
            try FileManager.default.moveItem(atPath: folder.file("kept"), toPath: blobs)
            for words in commands { #expect(try run(words).status == 0, "\(words)") }
        }

        @Test("A restore names a picture that the log names and the backup lacks, and exits with 1")
        func restored() throws {
            let folder = try TemporaryFolder()
            #expect(try shown(in: folder).stop() == 0)
            try FileManager.default.removeItem(atPath: folder.data + "/blobs")
            #expect(try audit(folder, "backup", "--to", folder.file("copy")).status == 1)
            let program = try Program(
                "greentea-audit", ["restore", "--from", folder.file("copy"), "--data", folder.file("other")], in: folder)
            #expect(try program.wait() == 1 && program.output.contains("missing picture: "), "\(program.output)\(program.errors)")
            #expect(program.output.contains("restored  events "), "\(program.output)")
        }

        @Test("The commands of `verify` and of the runbook take only those files from backups that fit their names")
        func takenBack() throws {
            let folder = try TemporaryFolder()
            #expect(try shown(in: folder).stop() == 0)
            let name = try #require(FileManager.default.subpaths(atPath: folder.data + "/blobs")?.first { $0.contains("/") })
            let file = URL(filePath: folder.data + "/blobs/" + name)
            let whole = try Data(contentsOf: file)
            try FileManager.default.createDirectory(atPath: folder.file("copies"), withIntermediateDirectories: true)
            for copy in ["1", "2"] { #expect(try audit(folder, "backup", "--to", folder.file("copies/" + copy)).status == 0) }
            // The later backup's file is damaged, so a copy of everything would end with it.
            try Data("damaged".utf8).write(to: URL(filePath: folder.file("copies/2/blobs/") + name))
            let runbook = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tools/deploy/RUNBOOK.md").standardized
            let section = try #require(
                String(contentsOf: runbook, encoding: .utf8).components(separatedBy: "### GreenTeaPicturesMissing\n").last)
            let lines = section.components(separatedBy: "```\n")[1].replacing("DATA", with: folder.data)
            for damage in [Data("changed".utf8), nil] {
                func verify() throws -> Finished {
                    try? FileManager.default.removeItem(at: file)
                    if let damage { try damage.write(to: file) }
                    return try audit(folder, "verify")
                }
                let printed = try #require(verify().output.components(separatedBy: "such as: ").last?.split(separator: "\n").first)
                for command in [String(printed), lines] {
                    let found = try verify()
                    #expect(found.status == 1, "\(found)")
                    let shell = try Program(
                        "/bin/sh", ["-c", command.replacing("BACKUPS", with: folder.file("copies"))], in: folder)
                    #expect(try shell.wait() == 0, "\(command): \(shell.errors)")
                    #expect(try Data(contentsOf: file) == whole, "\(command)")
                }
            }
        }

        @Test("A server counts pictures whose files are gone or changed, and says which")
        func gauge() throws {
            let folder = try TemporaryFolder()
            let first = try shown(in: folder)
            func figure(_ server: Server) throws -> Substring? {
                let lines = try server.client.send("GET", "/metrics").text.split(separator: "\n")
                return lines.first { $0.hasPrefix("greentea_pictures_missing ") }
            }
            #expect(try figure(first) == "greentea_pictures_missing 0")
            #expect(try first.stop() == 0)
            let names = try #require(FileManager.default.subpaths(atPath: folder.data + "/blobs")).filter { $0.contains("/") }
            let file = folder.data + "/blobs/" + (try #require(names.first))
            for content in [Data("changed".utf8), nil] {
                try FileManager.default.removeItem(atPath: file)
                if let content { try content.write(to: URL(filePath: file)) }
                let server = try Server(data: folder.data, in: folder)
                try eventually("the picture is counted") { try figure(server) == "greentea_pictures_missing 1" }
                #expect(try server.stop() == 0)
                #expect(server.program.errors.contains("images.missing"), "\(server.program.errors)")
            }
        }
    }
}
