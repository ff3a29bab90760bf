import Foundation
import Patience
import Testing

extension EndToEnd {
    /// `derived/` may be deleted at any moment. A running server continues to serve, reports the deletion, and rebuilds everything.
    @Suite struct DerivedRemovedTests {
        private func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

        /// Waits for all models. A search may fail during this time, and no other request may.
        private func waitUntilRemade(_ models: Set<String>, _ server: Server, _ folder: TemporaryFolder) throws {
            try eventually("all models are made again") {
                let remade = (try? folder.models()) ?? []
                return try models == Set(remade) && server.client.send("GET", "/readyz").text.contains(#""warnings":[]"#)
            }
        }

        @Test("Models, search and index that are deleted under a running server are made again from the log")
        func itIsMadeAgain() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server, goal: 5)
            let customer = server.client
            try customer.signIn(1)
            #expect(try customer.stamp(try counter.code().code, key: "before").status == 201)
            let models = Set(try folder.models())
            try #require(models.contains("discovery") && models.count > 1, "\(models)")
            try remove(folder.data + "/derived")
            let meanwhile = try customer.stamp(try counter.code().code, key: "meanwhile")
            #expect(meanwhile.status == 201, "\(meanwhile.text)")
            #expect(try server.client.send("GET", "/readyz").status == 200)
            try waitUntilRemade(models, server, folder)
            let found = try server.client.send("GET", "/v1/shops?q=%E7%BB%BF%E8%8C%B6")
            #expect(found.status == 200 && found.text.contains(counter.shop), "\(found.text)")
            #expect(try customer.stamps() == 2)
            // The server looks for deleted files only once a second. So it may report a deleted model only after the model is complete
            // again.
            try eventually("the log names what was made again") {
                let said = server.program.errors
                return said.contains("a read model was made again") && said.contains("files of the tag index were removed")
            }
            #expect(try server.stop() == 0, "\(server.program.errors)")
            let compared = try Program.run("greentea-replay", "--data", folder.data, "--compare", in: folder)
            #expect(compared.status == 0 && compared.lines.count == models.count, "\(compared)")
            let again = try Server(data: folder.data, in: folder)
            #expect(try customer.moved(to: again).stamps() == 2)
            #expect(try again.stop() == 0)
        }

        @Test("A server whose derived data was deleted a moment ago stops with 0")
        func itStopsWell() throws {
            let folder = try TemporaryFolder()
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            #expect(try counter.owner.stamp(try counter.code().code, key: "own").status != 500)
            try remove(folder.data + "/derived")
            #expect(try server.stop() == 0, "\(server.program.errors)")
            let again = try Server(data: folder.data, in: folder)
            #expect(try again.client.send("GET", "/v1/shops/\(counter.shop)").status == 200)
            #expect(try again.stop() == 0)
        }
    }
}
