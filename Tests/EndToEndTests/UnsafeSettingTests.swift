import Foundation
import Testing

extension EndToEnd {
    /// A setting that lets others read secrets is refused unless a command-line flag allows the setting. Each error message names the
    /// actual cause.
    @Suite struct UnsafeSettingTests {
        private func config(
            _ arguments: [String], in folder: TemporaryFolder, _ variables: [String: String] = [:], isDevelopment: Bool = true
        ) throws -> Finished {
            let mode = isDevelopment ? ["--dev"] : []
            let program = try Program("greentea", ["config", "--data", folder.data] + mode + arguments, in: folder, environment: variables)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        private func write(_ text: String, to name: String, mode: Int, in folder: TemporaryFolder) throws -> String {
            let path = folder.file(name)
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return path
        }

        private func key(mode: Int, in folder: TemporaryFolder) throws -> String {
            try write(String(repeating: "a", count: 64), to: "key-\(String(mode, radix: 8))", mode: mode, in: folder)
        }

        private func expect(_ finished: Finished, _ words: String..., status: Int32 = 2) {
            #expect(finished.status == status, "\(finished)")
            for word in words { #expect((finished.errors + finished.output).contains(word), "\(word) in \(finished)") }
        }

        @Test("A key that others can read is refused, with the command that closes it and the flag that accepts it")
        func readableKeys() throws {
            let folder = try TemporaryFolder()
            let (open, closed) = (try key(mode: 0o644, in: folder), try key(mode: 0o600, in: folder))
            let sms = ["--sms", "file:" + folder.file("sms")]
            let refused = try config(["--master-key-file", open] + sms, in: folder, isDevelopment: false)
            expect(refused, "mode 0644", "chmod 600 \(open)", "--allow-readable-keys")
            expect(try config(["--master-key-file", open, "--allow-readable-keys"] + sms, in: folder, isDevelopment: false), status: 0)
            expect(try config(["--master-key-file", closed] + sms, in: folder, isDevelopment: false), status: 0)
            expect(try Program.run("greentea", "key", "rotate", "--data", folder.data, "--from", open, "--to", closed, in: folder))
        }

        @Test("The development mode's own key is refused too if others can read it, and the same flag accepts it")
        func readableDevelopmentKey() throws {
            let folder = try TemporaryFolder()
            try FileManager.default.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
            let key = try write(String(repeating: "a", count: 64), to: "data/master.key", mode: 0o644, in: folder)
            expect(try config([], in: folder), "mode 0644", "chmod 600 \(key)", "--allow-readable-keys")
            expect(try config(["--allow-readable-keys"], in: folder), status: 0)
            #expect(try Server(data: folder.data, in: folder, options: ["--allow-readable-keys"]).stop() == 0)
        }

        @Test("The secret of a webhook is refused like a key if others can read its file")
        func readableMessageSecret() throws {
            let folder = try TemporaryFolder()
            let secret = "0123456789abcdef-not-for-anybody"
            let (open, closed) = (
                try write(secret, to: "open", mode: 0o644, in: folder), try write(secret, to: "closed", mode: 0o600, in: folder)
            )
            let hook = ["--sms", "webhook:https://sms.example/send", "--sms-secret-file"]
            expect(try config(hook + [open], in: folder), "mode 0644", "chmod 600 \(open)", "--allow-readable-keys")
            expect(try config(hook + [open, "--allow-readable-keys"], in: folder), status: 0)
            expect(try config(hook + [closed], in: folder), status: 0)
            // Without a webhook, the file is not needed. The container's image always names one.
            let missing = ["--sms", "file:" + folder.file("sms"), "--sms-secret-file", folder.file("missing")]
            expect(try config(missing, in: folder), status: 0)
        }

        @Test("Plain HTTP that other machines reach, and a plain webhook to another machine, are refused until a flag allows them")
        func plainNetworks() throws {
            let folder = try TemporaryFolder()
            let common = ["--master-key-file", try key(mode: 0o600, in: folder), "--sms", "file:" + folder.file("sms")]
            for address in ["0.0.0.0:8080", "[::]:8080", "192.0.2.1:80"] {
                let plain = common + ["--listen", address]
                expect(try config(plain, in: folder, isDevelopment: false), "plain HTTP on \(address)", "--allow-plain-http")
                for meant in [["--allow-plain-http"], ["--trusted-proxies", "1"]] {
                    expect(try config(plain + meant, in: folder, isDevelopment: false), status: 0)
                }
            }
            expect(try config(common + ["--listen", "127.0.0.1:8080"], in: folder, isDevelopment: false), status: 0)
            let secret = ["GREENTEA_SMS_SECRET": "0123456789abcdef-not-for-anybody"]
            let hook = ["--sms", "webhook:http://sms.example/send"]
            expect(try config(hook, in: folder, secret), "webhook over http:// to sms.example", "--allow-plain-webhook")
            expect(try config(hook + ["--allow-plain-webhook"], in: folder, secret), status: 0)
            for near in ["http://127.0.0.1:9/", "http://[::1]:9/", "http://localhost/", "https://sms.example/"] {
                expect(try config(["--sms", "webhook:" + near], in: folder, secret), status: 0)
            }
        }

        @Test("A misspelt variable is refused with the nearest setting; a variable unlike any setting is only mentioned")
        func variables() throws {
            let folder = try TemporaryFolder()
            expect(try config([], in: folder, ["GREENTEA_LISTN": "127.0.0.1:1"]), "GREENTEA_LISTN", "did you mean GREENTEA_LISTEN?")
            let strange = try config([], in: folder, ["GREENTEA_SERVICE_HOST": "10.0.0.1"])
            expect(strange, "GREENTEA_SERVICE_HOST is no setting", status: 0)
        }

        @Test("Two sources of one setting are named; for a secret they are refused")
        func twoSources() throws {
            let folder = try TemporaryFolder()
            let both = try config(["--listen", "127.0.0.1:1"], in: folder, ["GREENTEA_LISTEN": "127.0.0.1:2"])
            expect(both, "listen is also given by environment GREENTEA_LISTEN, and flag --listen wins", status: 0)
            let key = try key(mode: 0o600, in: folder)
            let keys = ["GREENTEA_MASTER_KEY": String(repeating: "b", count: 64)]
            let twice = try config(["--master-key-file", key], in: folder, keys)
            expect(twice, "given twice", "environment GREENTEA_MASTER_KEY", "flag --master-key-file")
        }

        @Test("A broken settings file is named with its line; a missing or unreadable file is reported as such")
        func brokenFiles() throws {
            let folder = try TemporaryFolder()
            let cases = [
                ("a.yaml", "listen: \"127.0.0.1:1\"\noperators: [\"hunter2\"\naudit: off\n", "line 3"),
                ("b.yaml", "listen: \"127.0.0.1:1\"\nlisten: \"hunter2\"\n", "'listen' twice"),
                ("c.yaml", "- hunter2\n", "one table of names and values"),
                ("d.json", "{\"listen\": \"hunter2\",\n\"audit\" }", "it is no well-formed JSON"),
            ]
            for (name, text, words) in cases {
                let refused = try config(["--config", try write(text, to: name, mode: 0o600, in: folder)], in: folder)
                expect(refused, words, name)
                #expect(!refused.errors.contains("hunter2"), "\(refused)")
            }
            expect(try config(["--config", folder.file("none.yaml")], in: folder), "none.yaml", "there is no such file")
            expect(try config(["--config", folder.path], in: folder), "it is a folder, not a file")
        }

        @Test("A certificate without its key, or a key without its certificate, is refused, and the error names what is missing")
        func halfACertificate() throws {
            let folder = try TemporaryFolder()
            expect(try config(["--tls-cert", "x"], in: folder), "tlsCert (flag --tls-cert)", "without tlsKey", "--tls-key FILE")
            expect(try config(["--tls-key", "x"], in: folder), "tlsKey (flag --tls-key)", "without tlsCert", "--tls-cert FILE")
        }

        @Test("Lost keys are accepted only by a flag with a word that is typed out")
        func lostKeys() throws {
            let folder = try TemporaryFolder()
            expect(try config(["--accept-lost-keys", "yes"], in: folder), "the word must be forget-everyone")
            let variable = ["GREENTEA_ACCEPT_LOST_KEYS": "forget-everyone"]
            expect(try config([], in: folder, variable), "only a flag can say so")
            let server = try Server(data: folder.data, in: folder)
            _ = try Counter.open(at: server)
            #expect(try server.stop() == 0)
            for name in ["keys", "master.key"] { try FileManager.default.removeItem(atPath: folder.data + "/" + name) }
            for flags in [[], ["--accept-older-log"]] {
                let refused = try Program(
                    "greentea", ["serve", "--dev", "--data", folder.data, "--listen", "127.0.0.1:0"] + flags, in: folder)
                #expect(try refused.wait() == 2 && refused.errors.contains("--accept-lost-keys forget-everyone"), "\(refused.errors)")
                for name in ["keys", "master.key"] { #expect(!FileManager.default.fileExists(atPath: folder.data + "/" + name)) }
            }
            expect(try config([], in: folder), "there is a log, and no keys", "--accept-lost-keys forget-everyone")
            expect(try config(["--accept-lost-keys", "forget-everyone"], in: folder), status: 0)
            let flags = ["--accept-lost-keys", "forget-everyone", "--accept-older-log"]
            #expect(try Server(data: folder.data, in: folder, options: flags).stop() == 0)
        }
    }
}
