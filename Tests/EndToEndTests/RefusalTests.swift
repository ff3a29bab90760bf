import Foundation
import Testing

extension EndToEnd {
    /// Mistyped, missing or conflicting input is refused with an explanation and a remedy, and leaves no files behind.
    @Suite struct RefusalTests {
        private func run(_ name: String, _ arguments: [String], _ folder: TemporaryFolder, _ variables: [String: String] = [:]) throws
            -> Finished
        {
            let program = try Program(name, arguments, in: folder, environment: variables)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        private func write(_ text: String, to name: String, in folder: TemporaryFolder) throws -> String {
            try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
            return folder.file(name)
        }

        private func key(_ digit: String, in folder: TemporaryFolder) throws -> String {
            let path = try write(String(repeating: digit, count: 64), to: digit + ".key", in: folder)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            return path
        }

        @Test("The config command hides secrets in addresses")
        func hiddenSecrets() throws {
            let folder = try TemporaryFolder()
            let address = "webhook:https://robot:hunter2@sms.example/send?token=abcdef"
            let config = try run(
                "greentea", ["config", "--dev", "--data", folder.data, "--sms", address], folder,
                [
                    "GREENTEA_SMS_SECRET": "0123456789abcdef-not-for-anybody"
                ])
            #expect(config.status == 0, "\(config.errors)")
            #expect(config.output.contains("webhook:https://(hidden)@sms.example/send?(hidden)"), "\(config.output)")
            for secret in ["robot", "hunter2", "abcdef"] { #expect(!config.output.contains(secret)) }
            let wrong = try run("greentea", ["config", "--dev", "--data", folder.data, "--sms", "webhook:ftp://u:hunter2@x"], folder)
            #expect(wrong.status == 2 && !(wrong.output + wrong.errors).contains("hunter2"), "\(wrong)")
        }

        @Test("The config command finds the same faulty settings as serve, and neither makes a folder")
        func sameFaults() throws {
            let folder = try TemporaryFolder()
            let file = try write("", to: "file", in: folder)
            let cases: [([String], String)] = [
                (["--data", folder.data, "--origin", "a b"], "origin (flag --origin)"),
                (["--data", file], "it is a file, not a folder"), (["--data", file + "/below"], "it is a file, not a folder"),
                (["--data", folder.data, "--sms", "file:/nonexistent/x"], "there is no folder /nonexistent"),
                (["--data", folder.data, "--public-url", "nonsense"], "publicUrl (flag --public-url)"),
                (["--data", folder.data, "--public-url", "ftp://x"], "publicUrl"),
                (["--data", folder.data, "--public-url", "https://u:p@x"], "publicUrl"),
                (["--data", folder.data, "--log-map-gib", "0"], "logMapGib (flag --log-map-gib)"),
                (["--data", folder.data, "--model-map-gib", "16385"], "modelMapGib (flag --model-map-gib)"),
            ]
            for (arguments, words) in cases {
                for command in ["config", "serve"] where command == "config" || !words.contains("/nonexistent") {
                    let finished = try run("greentea", [command, "--dev", "--listen", "127.0.0.1:0"] + arguments, folder)
                    #expect(finished.status == 2 && finished.errors.contains(words), "\(command) \(arguments): \(finished)")
                    #expect(!finished.errors.contains("NSCocoa"), "\(finished.errors)")
                }
            }
            #expect(!FileManager.default.fileExists(atPath: folder.data))
            let logged = try run("greentea", ["config", "--dev", "--data", folder.data, "--access-log"], folder)
            #expect(logged.status == 0 && logged.output.contains("flag --access-log"), "\(logged)")
        }

        @Test("A development key that does not open the keys is named by its path")
        func wrongDevelopmentKey() throws {
            let folder = try TemporaryFolder()
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            let path = folder.data + "/master.key"
            try String(repeating: "b", count: 64).write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let refused = try run("greentea", ["serve", "--dev", "--data", folder.data, "--listen", "127.0.0.1:0"], folder)
            let reason = "the master key \(path) cannot be used: wrong master key: it does not open the keys in \(folder.data)/keys."
            #expect(refused.status == 2 && refused.errors.contains(reason), "\(refused)")
        }

        @Test("The config command reports a wrong master key, and does not disturb a running server")
        func wrongMasterKey() throws {
            let folder = try TemporaryFolder()
            let (right, wrong) = (try key("a", in: folder), try key("b", in: folder))
            let options = ["--sms", "file:" + folder.file("sms")]
            let server = try Server(data: folder.data, in: folder, options: ["--master-key-file", right] + options, isDevelopment: false)
            let config = ["config", "--data", folder.data] + options
            for _ in 0..<2 {
                #expect(try run("greentea", config + ["--master-key-file", right], folder).status == 0)
                let refused = try run("greentea", config + ["--master-key-file", wrong], folder)
                #expect(refused.status == 2 && refused.errors.contains("wrong master key"), "\(refused)")
                if server.program.isRunning { #expect(try server.stop() == 0) }
            }
            for warning in ["settings.noOrigin", "paper cards cannot be printed"] {
                #expect(server.program.errors.components(separatedBy: warning).count == 2, "\(warning): \(server.program.errors)")
            }
            let none = try run("greentea", config + ["--master-key-file", folder.file("none")], folder)
            #expect(none.status == 2 && none.errors.contains("there is no key file"), "\(none)")
            let rotate = ["key", "rotate", "--data", folder.data, "--from", right, "--to", folder.file("none")]
            let unrotated = try run("greentea", rotate, folder)
            #expect(unrotated.status == 2 && unrotated.errors.contains("there is no key file \(folder.file("none"))"), "\(unrotated)")
        }

        @Test("A misspelt setting is named together with the nearest right name")
        func misspelt() throws {
            let folder = try TemporaryFolder()
            let texts = [("s.json", #"{"listn":"127.0.0.1:1"}"#), ("s.yaml", "# settings\nlistn: \"127.0.0.1:1\"\n")]
            for (name, text) in texts {
                let file = try write(text, to: name, in: folder)
                let config = try run("greentea", ["config", "--dev", "--data", folder.data, "--config", file], folder)
                #expect(config.status == 2 && config.errors.contains("'listn'") && config.errors.contains("'listen'"), "\(config)")
            }
            let strange = try write(#"{"zzzzzzzzzzzz":1}"#, to: "t.json", in: folder)
            let config = try run("greentea", ["config", "--dev", "--data", folder.data, "--config", strange], folder)
            #expect(config.status == 2 && config.errors.contains("masterKeyFile"), "\(config)")
        }

        /// The flag is `--operator`. By the rule in the help, the other names are `GREENTEA_OPERATOR` and `operator`.
        @Test("Operators are accepted under every name of the setting, but not under two names at once")
        func operatorNames() throws {
            let folder = try TemporaryFolder()
            let yaml = try write("operator:\n  - \"+8613800131001\"\n", to: "o.yaml", in: folder)
            let arguments = ["config", "--dev", "--data", folder.data]
            let inFile = try run("greentea", arguments + ["--config", yaml], folder)
            #expect(inFile.status == 0 && inFile.output.contains("(1 hidden)"), "\(inFile)")
            let variable = try run("greentea", arguments, folder, ["GREENTEA_OPERATOR": "+8613800131001"])
            #expect(variable.output.contains("(1 hidden)") && variable.output.contains("environment GREENTEA_OPERATOR"), "\(variable)")
            let both = try write(#"{"operator":["+8613800131001"],"operators":["+8613800131002"]}"#, to: "b.json", in: folder)
            let twice = try run("greentea", arguments + ["--config", both], folder)
            #expect(twice.status == 2 && twice.errors.contains("given twice"), "\(twice)")
        }

        @Test("A certificate's file that is missing or holds no certificate is named in the error")
        func faultyCertificate() throws {
            let folder = try TemporaryFolder()
            let text = try write("no certificate", to: "text.pem", in: folder)
            let none = folder.file("none.pem")
            for (certificate, words) in [(none, "\(none): there is no such file"), (text, "\(text) holds no certificate")] {
                let arguments = ["config", "--dev", "--data", folder.data, "--tls-cert", certificate, "--tls-key", text]
                let config = try run("greentea", arguments, folder)
                #expect(config.status == 2 && config.errors.contains(words) && config.errors.contains("tlsCert"), "\(config)")
            }
        }

        @Test("A listen address with an unknown host is refused with the reason")
        func anUnknownHostIsNamed() throws {
            let folder = try TemporaryFolder()
            let key = try key("a", in: folder)
            let arguments = ["serve", "--data", folder.data, "--master-key-file", key, "--sms", "file:" + folder.file("sms")]
            let served = try run("greentea", arguments + ["--listen", "nohost.invalid:1", "--allow-plain-http"], folder)
            #expect(served.status == 2 && served.errors.contains("nobody knows a host of that name"), "\(served)")
        }

        @Test("An import from a folder or into a file is refused with the reason")
        func wrongPaths() throws {
            let folder = try TemporaryFolder()
            let visits = try Till.file(visits: 3, in: folder)
            let ofFolder = try run("greentea", Till.arguments(folder.path, folder.data), folder)
            #expect(ofFolder.status == 2 && ofFolder.errors.contains("it is a folder, not a file. Name"), "\(ofFolder)")
            #expect(!FileManager.default.fileExists(atPath: folder.data))
            for data in [visits, visits + "/below"] {
                let intoFile = try run("greentea", Till.arguments(visits, data), folder)
                #expect(intoFile.status == 2 && intoFile.errors.contains("it is a file, not a folder"), "\(intoFile)")
            }
        }

        @Test("An import that fills the disk says so, and succeeds when it is repeated with more room")
        func importFillsDisk() throws {
            guard SmallDisk.isPossible else { return print("full disk: skipped, this process may not mount a tmpfs") }
            let folder = try TemporaryFolder()
            let disk = try SmallDisk(at: folder.file("disk"), bytes: 3 << 20)
            let visits = try Till.file(visits: 20_000, in: folder)
            let full = try run("greentea", Till.arguments(visits, disk.path + "/data"), folder)
            #expect(full.status == 2)
            #expect(full.errors.contains("no room left") && full.errors.contains("import the same file again"), "\(full.errors)")
            try disk.resize(bytes: 256 << 20)
            #expect(try run("greentea", Till.arguments(visits, disk.path + "/data"), folder).status == 0)
        }

        @Test("The tools refuse incomplete and contradictory requests with the reason")
        func incomplete() throws {
            let folder = try TemporaryFolder()
            let data = ["--data", folder.data]
            let effect = try run("greentea-replay", ["chart", "effect"] + data, folder)
            #expect(effect.status == 64 && effect.errors.contains("name it with --campaign"), "\(effect)")
            let other = try run("greentea-replay", ["chart", "fill", "--campaign", "camp_01hv5x0000e008000000000000"] + data, folder)
            #expect(other.status == 64 && other.errors.contains("'chart effect' alone"), "\(other)")
            let export = try run("greentea-replay", ["export", "--to", folder.file("t"), "--tables", ""] + data, folder)
            #expect(export.status == 64 && export.errors.contains("--tables names none"), "\(export)")
        }

        @Test("A missing model is reported, and the other models are still compared")
        func missingModel() throws {
            let folder = try TemporaryFolder()
            try Till.imported(in: folder)
            try FileManager.default.removeItem(atPath: folder.data + "/derived/models/card-progress")
            let compared = try run("greentea-replay", ["--data", folder.data, "--compare"], folder)
            #expect(compared.status == 2 && compared.errors.contains("card-progress"), "\(compared)")
            #expect(compared.lines.count == 8 && compared.lines.allSatisfy { $0.hasPrefix("equal  ") }, "\(compared.output)")
        }

        /// Exit code 1 of `catalogue --check` would mean that it refuses a change of an event. Here its folder for temporary logs cannot be
        /// made.
        @Test("A check of the catalogue that cannot run is an error and no finding")
        func cannotRun() throws {
            let folder = try TemporaryFolder()
            let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized.path
            let file = try write("", to: "file", in: folder)
            let checked = try run("greentea-audit", ["catalogue", "--check", "--repository", root], folder, ["TMPDIR": file])
            #expect(checked.status == 2 && checked.errors.hasPrefix("greentea-audit catalogue: "), "\(checked)")
            #expect(checked.output.isEmpty)
        }

        @Test("A second rebuild is refused while another one is at work")
        func oneRebuildAtATime() throws {
            let folder = try TemporaryFolder()
            try Till.imported(in: folder)
            let path = folder.data + "/derived/rebuilding"
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
            let other = try #require(FileHandle(forUpdatingAtPath: path))
            #expect(flock(other.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
            let second = try run("greentea-rebuild", ["--data", folder.data], folder)
            #expect(second.status == 2 && second.errors.contains("another rebuild is at work"), "\(second)")
            #expect(second.output.isEmpty)
            #expect(flock(other.fileDescriptor, LOCK_UN) == 0)
            #expect(try run("greentea-rebuild", ["--data", folder.data], folder).status == 0)
            let forgotten = try run("greentea-rebuild", ["--data", folder.data, "--forget-old", "--json"], folder)
            #expect(forgotten.status == 0 && forgotten.lines.count == 9, "\(forgotten)")
            for line in forgotten.lines {
                let members = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                #expect(members?["removed"] as? Bool == true && members?["model"] is String, "\(line)")
            }
        }
    }
}
