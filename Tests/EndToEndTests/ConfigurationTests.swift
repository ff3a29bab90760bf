import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Settings, keys and text messages from the operator's point of view.
    @Suite struct ConfigurationTests {
        private static let secret = "0123456789abcdef-not-for-anybody"

        private func write(_ text: String, to name: String, in folder: TemporaryFolder) throws -> String {
            let path = folder.file(name)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }

        private func newKey(_ name: String, in folder: TemporaryFolder) throws -> String {
            let made = try Program.run("greentea", "key", "new", in: folder)
            #expect(made.status == 0 && made.lines.first?.count == 64)
            let path = try write(made.output, to: name, in: folder)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            return path
        }

        /// Returns the code in the file's last message.
        private func code(in path: String) throws -> String {
            let line = try #require(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").last)
            let digits = line.split(separator: " ").first { $0.count == 6 && $0.allSatisfy(\.isNumber) }
            return String(try #require(digits))
        }

        private func signedIn(_ phone: String, at server: Server, messages: String) throws -> Client {
            let client = server.client
            let answer = try client.send("POST", "/v1/verifications", json: #"{"phone":"\#(phone)"}"#)
            #expect(answer.status == 202 && !answer.text.contains("devCode"))
            try client.signIn(phone, code: try code(in: messages))
            return client
        }

        @Test("A server runs with a master key from a file, and after a rotation only with the new key")
        func rotatedKey() throws {
            let folder = try TemporaryFolder()
            let (first, second) = (try newKey("first.key", in: folder), try newKey("second.key", in: folder))
            let messages = folder.file("sms")
            func options(_ key: String) -> [String] { ["--master-key-file", key, "--sms", "file:" + messages] }
            let server = try Server(data: folder.data, in: folder, options: options(first), isDevelopment: false)
            let client = try signedIn("+8613800131001", at: server, messages: messages)
            #expect(try client.send("PATCH", "/v1/me", json: #"{"nickname":"小茶"}"#).status == 200)
            #expect(try server.stop() == 0)
            #expect(!FileManager.default.fileExists(atPath: folder.data + "/master.key"))

            let rotate = ["key", "rotate", "--data", folder.data, "--from", first, "--to", second]
            let rotated = try Program("greentea", rotate, in: folder)
            #expect(try rotated.wait() == 0)
            #expect(rotated.output.contains("1 data keys"), "\(rotated.output)\(rotated.errors)")
            let again = try Program("greentea", rotate, in: folder)
            #expect(try again.wait() == 0 && again.output.contains("already"))

            let refused = try Program("greentea", ["serve", "--data", folder.data, "--listen", "127.0.0.1:0"] + options(first), in: folder)
            #expect(try refused.wait() == 2)
            #expect(refused.errors.contains("wrong master key"))
            let restarted = try Server(data: folder.data, in: folder, options: options(second), isDevelopment: false)
            let me = try client.moved(to: restarted).send("GET", "/v1/me")
            #expect(me.status == 200 && me.text.contains("小茶"), "\(me.text)")
            #expect(try signedIn("+8613800131001", at: restarted, messages: messages).account == client.account)
            #expect(try restarted.stop() == 0)
        }

        /// The test exceeds the limit per account, because even a slow machine reaches it.
        @Test("Requests are limited by default, and `--unlimited-requests` lifts the limit")
        func limitedByDefault() throws {
            let folder = try TemporaryFolder()
            let key = try newKey("master.key", in: folder)
            let messages = folder.file("sms")
            let options = ["--master-key-file", key, "--sms", "file:" + messages]
            for (more, isLimited) in [([], true), (["--unlimited-requests"], false)] {
                let server = try Server(data: folder.data, in: folder, options: options + more, isDevelopment: false)
                let client = try signedIn("+8613800131001", at: server, messages: messages)
                let statuses = try Self.statuses(at: client, count: isLimited ? 100_000 : 2_000, until: isLimited ? 429 : nil)
                #expect(statuses.count >= 600 && statuses.dropLast().allSatisfy { $0 == 200 })
                #expect(statuses.last == (isLimited ? 429 : 200))
                #expect(try server.client.send("GET", "/v1/shops").status == 200)
                #expect(try server.stop() == 0)
            }
        }

        /// Sends requests one after another over one client and returns their statuses.
        private static func statuses(at client: Client, count: Int, until last: Int?) throws -> [Int] {
            var statuses: [Int] = []
            while statuses.count < count {
                let answer = try client.send("GET", "/v1/me")
                statuses.append(answer.status)
                if answer.status == last {
                    #expect(answer.headers["retry-after"] != nil && answer.text.contains("rateLimited"))
                    break
                }
            }
            return statuses
        }

        @Test("A missing or faulty setting is named in the error, and no folder is made")
        func missingSettings() throws {
            let folder = try TemporaryFolder()
            let key = try newKey("master.key", in: folder)
            func errors(_ arguments: String...) throws -> String { try errors(arguments) }
            func errors(_ arguments: [String]) throws -> String {
                let program = try Program("greentea", ["serve", "--listen", "127.0.0.1:0"] + arguments, in: folder)
                #expect(try program.wait() == 2)
                return program.errors
            }
            let nothing = try errors()
            for word in ["--data", "--master-key-file", "--sms"] { #expect(nothing.contains(word), "\(nothing)") }
            let noMessages = try errors("--data", folder.data, "--master-key-file", key)
            #expect(noMessages.contains("--sms ") && !noMessages.contains("--master-key-file"), "\(noMessages)")
            let noSecret = try errors("--data", folder.data, "--master-key-file", key, "--sms", "webhook:https://sms.example/")
            #expect(noSecret.contains("--sms-secret-file") && !noSecret.contains("--master-key-file"), "\(noSecret)")
            #expect(try errors("--data", folder.data, "--master-key-file", key, "--sms", "pigeon:1").contains("webhook:URL"))
            #expect(try errors("--data", folder.data, "--dev", "--tls-cert", "x").contains("tlsKey"))
            let tiles = "https://tiles.example/{z}/{x}/{y}.png"
            #expect(try errors("--data", folder.data, "--dev", "--map-tiles", tiles).contains("--map-attribution"))
            #expect(try errors("--data", folder.data, "--dev", "--map-grid", "china").contains("--map-tiles"))
            let wrong = ["--data", folder.data, "--dev", "--map-attribution", "Us"]
            #expect(try errors(wrong + ["--map-tiles", "https://tiles.example/"]).contains("{z}/{x}/{y}"))
            #expect(try errors(wrong + ["--map-tiles", tiles, "--map-grid", "mars"]).contains("world or china"))
            #expect(try errors(wrong + ["--map-tiles", tiles + "?key={key}"]).contains("no word in braces but"))
            let plain = ["--map-tiles", "http://tiles.example/{z}/{x}/{y}.png", "--public-url"]
            #expect(try errors(wrong + plain + ["https://tea.example"]).contains("give the tile server's https:// address"))
            #expect(!FileManager.default.fileExists(atPath: folder.data))
        }

        @Test("A flag wins over a variable, a variable over the file, and secrets are not shown")
        func precedence() throws {
            let folder = try TemporaryFolder()
            let yaml = try write(
                "listen: \"127.0.0.1:1111\"\norigin: file.example\npublicUrl: \"https://file.example\"\ntrustedProxies: 2\n", to: "s.yaml",
                in: folder)
            let json = try write(
                #"{"listen":"127.0.0.1:1111","origin":"file.example","publicUrl":"https://file.example","trustedProxies":2}"#, to: "s.json",
                in: folder)
            for file in [yaml, json] {
                let config = try Program.run(
                    "greentea", "config", "--config", file, "--dev", "--data", folder.data, "--listen", "127.0.0.1:3333", in: folder,
                    environment: [
                        "GREENTEA_LISTEN": "127.0.0.1:2222", "GREENTEA_ORIGIN": "variable.example", "GREENTEA_SMS_SECRET": Self.secret,
                        "GREENTEA_OPERATORS": "+8613800131001,+8613800131002", "GREENTEA_MASTER_KEY": String(repeating: "5a", count: 32),
                    ])
                #expect(config.status == 0, "\(config.errors)")
                let rows = config.lines.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
                for row in [
                    "listen 127.0.0.1:3333 flag --listen", "origin variable.example environment GREENTEA_ORIGIN",
                    "publicUrl https://file.example file \(file)", "trustedProxies 2 file \(file)", "sms (none) default",
                    "smsSecret (hidden) environment GREENTEA_SMS_SECRET", "masterKey (hidden) environment GREENTEA_MASTER_KEY",
                    "operators (2 hidden) environment GREENTEA_OPERATORS",
                ] { #expect(rows.contains(row), "\(row) in \(config.output)") }
                for hidden in [Self.secret, "5a5a", "13800131001"] { #expect(!config.output.contains(hidden)) }
            }
        }

        @Test("A setting of the wrong kind is named, but its value is not shown")
        func wrongKind() throws {
            let folder = try TemporaryFolder()
            let file = try write(#"{"trustedProxies":"hunter2"}"#, to: "s.json", in: folder)
            let config = try Program.run("greentea", "config", "--config", file, "--dev", "--data", folder.data, in: folder)
            #expect(config.status == 2)
            #expect(config.errors.contains("trustedProxies") && config.errors.contains(file) && !config.errors.contains("hunter2"))
            let gone = try Program.run("greentea", "config", "--config", folder.file("none.json"), "--dev", in: folder)
            #expect(gone.status == 2 && gone.errors.contains("none.json"))
        }

        @Test("The server serves HTTPS with a certificate, and a key that does not match it is refused")
        func servesHTTPS() throws {
            let folder = try TemporaryFolder()
            let (certificate, key) = (folder.file("chain.pem"), folder.file("key.pem"))
            try tool(
                "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate)
            let server = try Server(data: folder.data, in: folder, options: ["--tls-cert", certificate, "--tls-key", key])
            #expect(server.program.output.contains("https://127.0.0.1:"))
            let answer = try tool(
                "/usr/bin/curl", "--silent", "--show-error", "--cacert", certificate, "https://127.0.0.1:\(server.port)/healthz")
            #expect(answer.hasPrefix(#"{"status":"ok","version":""#), "\(answer)")
            #expect(try server.stop() == 0)
            let other = folder.file("other.pem")
            try tool("/usr/bin/openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", other)
            let refused = try Program.run(
                "greentea", "config", "--data", folder.data, "--dev", "--tls-cert", certificate, "--tls-key", other, in: folder)
            #expect(refused.status == 2 && refused.errors.contains("tlsCert"), "\(refused.errors)")
        }

        @discardableResult
        private func tool(_ path: String, _ arguments: String...) throws -> String {
            let (process, pipe) = (Process(), Pipe())
            process.executableURL = URL(filePath: path)
            process.arguments = arguments
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            try process.runInTime()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0, "\(path) \(arguments)")
            return String(decoding: output, as: UTF8.self)
        }
    }
}
