import Foundation
import Testing

extension EndToEnd {
    /// Exporting a log as tables while a server writes it.
    @Suite struct ExportTests {
        @Test("Tables are exported beside a running server, without phone numbers and sealed texts")
        func besideServer() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            for time in 1...2 { _ = try customer.stamp(try counter.code().code, key: "visit-\(time)") }
            let review = #"{"rating":4,"text":"最好的茶"}"#
            #expect(try customer.send("POST", "/v1/shops/\(counter.shop)/reviews", json: review).status == 201)

            let tables = folder.file("tables")
            let made = try Program.run("greentea-replay", "export", "--data", folder.data, "--to", tables, "--json", in: folder)
            #expect(made.status == 0 && made.errors.isEmpty, "\(made.errors)")
            #expect(made.output.contains(#"{"name":"cards","rows":1,"#) && made.output.contains(#"{"name":"ratings","rows":1,"#))
            #expect(try Self.text(tables, "cards.csv").contains(",2,collecting,false,"))
            let events = try Self.text(tables, "events.csv")
            #expect(!events.contains("+8613") && !events.contains("最好的茶"), "sealed texts stay sealed")

            let again = try Program.run("greentea-replay", "export", "--data", folder.data, "--to", tables, in: folder)
            #expect(again.status == 2 && again.errors.contains("not empty"))
            #expect(try Self.text(tables, "events.csv") == events)
            #expect(try server.stop() == 0)
        }

        @Test(
            "A wrong argument of an export is a usage error, and no folder is made",
            arguments: [["--format", "xml"], ["--tables", "cards,cups"], ["--until", "soon"]])
        func wrongUseIsNamed(wrong: [String]) throws {
            let folder = try TemporaryFolder()
            let arguments = ["export", "--data", folder.data, "--to", folder.file("tables")] + wrong
            let program = try Program("greentea-replay", arguments, in: folder)
            #expect(try program.wait() == 64)
            #expect(!program.errors.isEmpty && !FileManager.default.fileExists(atPath: folder.file("tables")))
        }

        private static func text(_ folder: String, _ file: String) throws -> String {
            try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        }
    }
}
