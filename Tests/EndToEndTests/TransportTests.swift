import Foundation
import Testing

extension EndToEnd {
    /// Encryption of connections, with real handshakes.
    @Suite struct TransportTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// A server outside development mode. A certificate with an RSA key also allows suites without forward secrecy.
        private func server(_ options: [String]) throws -> Server {
            let key = try Program.run("greentea", "key", "new", in: folder)
            try key.output.write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("key"))
            let common = ["--master-key-file", folder.file("key"), "--sms", "file:" + folder.file("sms")]
            return try Server(data: folder.data, in: folder, options: common + options, isDevelopment: false)
        }

        private func certificate() throws -> [String] {
            let (certificate, key) = (folder.file("chain.pem"), folder.file("key.pem"))
            let made = try Program(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
                ], in: folder)
            #expect(try made.wait() == 0, "\(made.errors)")
            return ["--tls-cert", certificate, "--tls-key", key]
        }

        /// Whether a client with these options of `openssl s_client` gets a connection.
        private func connects(_ options: String, to server: Server) throws -> Bool {
            let words = ["s_client", "-connect", "127.0.0.1:\(server.port)"] + options.split(separator: " ").map(String.init)
            let client = try Program("/usr/bin/openssl", words, in: folder)
            return try client.wait() == 0
        }

        private func headers(_ path: String, of url: String) throws -> String {
            let curl = try Program("/usr/bin/curl", ["--silent", "--insecure", "--include", url + path], in: folder)
            #expect(try curl.wait() == 0, "\(curl.errors)")
            return curl.output.lowercased()
        }

        private static let header = "strict-transport-security: max-age=31536000\r\n"

        @Test("TLS before 1.2, and suites without forward secrecy or authenticated encryption, are refused")
        func oldTLS() throws {
            let server = try server(try certificate())
            for accepted in ["", "-tls1_3", "-tls1_2", "-tls1_2 -cipher ECDHE-RSA-AES128-GCM-SHA256", "-tls1_2 -cipher ECDHE+CHACHA20"] {
                #expect(try connects(accepted, to: server), "\(accepted)")
            }
            for version in ["-tls1", "-tls1_1"] {
                #expect(try !connects(version + " -cipher ALL:@SECLEVEL=0", to: server), "\(version)")
            }
            for suite in ["ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES256-SHA", "AES128-GCM-SHA256", "AES256-GCM-SHA384", "AES128-SHA", "DHE"] {
                #expect(try !connects("-tls1_2 -cipher \(suite):@SECLEVEL=0", to: server), "\(suite)")
            }
            for path in ["/", "/assets/none", "/v1/me"] {
                #expect(try headers(path, of: "https://127.0.0.1:\(server.port)").contains(Self.header), "\(path)")
            }
            #expect(try server.stop() == 0)
        }

        @Test("Browsers keep to https if the public address says that a proxy encrypts, and only then", arguments: [true, false])
        func behindAProxy(isEncrypted: Bool) throws {
            let server = try server(["--public-url", (isEncrypted ? "https" : "http") + "://tea.example"])
            for path in ["/", "/v1/me"] {
                #expect(try headers(path, of: "http://127.0.0.1:\(server.port)").contains(Self.header) == isEncrypted, "\(path)")
            }
            #expect(try server.stop() == 0)
        }
    }
}
