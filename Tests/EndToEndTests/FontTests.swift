import Foundation
import Testing

extension EndToEnd {
    /// Paper cards on a machine whose fonts lack characters: every box in place of a character would be cut out and handed to customers.
    @Suite struct FontTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// The environment of a machine with the fonts of this folder alone.
        private func environment(fonts: String) throws -> [String: String] {
            let file = folder.file("fonts.conf")
            let text = "<fontconfig><dir>\(fonts)</dir><cachedir>\(folder.file("cache"))</cachedir></fontconfig>"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            return ["FONTCONFIG_FILE": file]
        }

        private func print(at counter: Counter) throws -> Answer {
            try counter.owner.send(
                "POST", "/v1/shops/\(counter.shop)/paper-cards", json: #"{"campaign":"\#(counter.campaign)","count":500}"#, key: "print")
        }

        private func doctor(_ environment: [String: String]) throws -> String {
            try Program.run("greentea-audit", "doctor", "--data", folder.data, in: folder, environment: environment).output
        }

        @Test("Without fonts, /readyz and doctor warn, and no card is printed: the refusal names the characters")
        func none() throws {
            let environment = try environment(fonts: folder.file("none"))
            let server = try Server(data: folder.data, in: folder, environment: environment)
            let counter = try Counter.open(at: server)
            let refusal = try print(at: counter)
            #expect(
                refusal.status == 400 && refusal.text.contains(#""pointer":"/shop""#), "\(refusal.status) \(refusal.text.prefix(500))")
            #expect(refusal.text.contains("no font has 绿 茶;"), "\(refusal.text.prefix(500))")
            #expect(try server.client.send("GET", "/readyz").text.contains(#""code":"fontsMissing""#))
            let line = try doctor(environment).split(separator: "\n").first { $0.contains("fonts: ") }
            #expect(line.map { $0.hasPrefix("warning") && $0.contains("apt-get install fonts-noto-cjk") } == true, "\(line ?? "")")
            #expect(try server.stop() == 0)
            // No print is in the log, so the same request is new for a service with fonts.
            let restarted = try Server(data: folder.data, in: folder)
            let printed = try print(at: counter.moved(to: restarted))
            #expect(printed.status == 201 && printed.headers["idempotency-replayed"] == nil, "\(printed.status)")
            #expect(try !restarted.client.send("GET", "/readyz").text.contains("fontsMissing"))
            #expect(try doctor([:]).contains("ok  fonts: "))
            #expect(try restarted.stop() == 0)
        }
    }
}
