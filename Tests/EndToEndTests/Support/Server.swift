import Foundation

/// A `greentea serve` for one test, on a free port, usually with `--dev`.
final class Server {
    let program: Program
    let port: UInt16

    /// Starts the server and waits for its ready line.
    ///
    /// - Parameters:
    ///   - port: 0 for a free one.
    ///   - options: further arguments of the command line.
    ///   - isDevelopment: if false, `options` must contain everything that `serve` needs.
    ///   - environment: variables added to this process's environment.
    ///   - descriptors: the limit of open files, if it differs from this process's limit.
    ///   - launcher: a program with arguments that executes the server in its own process, so that signals reach the server.
    init(
        data: String, in folder: TemporaryFolder, port: UInt16 = 0, options: [String] = [], isDevelopment: Bool = true,
        environment: [String: String] = [:], descriptors: Int? = nil, through launcher: [String] = []
    ) throws {
        let mode = isDevelopment ? ["--dev"] : []
        let arguments = ["serve", "--data", data, "--listen", "127.0.0.1:\(port)"] + mode + options
        let launcher = descriptors.map { ["/usr/bin/prlimit", "--nofile=\($0):\($0)"] } ?? launcher
        if let first = launcher.first {
            let command = launcher.dropFirst() + [try Products.path(of: "greentea")]
            program = try Program(first, command + arguments, in: folder, environment: environment)
        } else {
            program = try Program("greentea", arguments, in: folder, environment: environment)
        }
        self.port = try Self.waitUntilReady(program)
    }

    deinit { kill() }

    /// A client that has not signed in.
    var client: Client { Client(port: port) }

    /// Kills the server: no handler runs and no work is completed.
    func kill() {
        guard program.isRunning else { return }
        program.kill(SIGKILL)
        _ = try? program.wait()
    }

    /// Sends SIGTERM and waits for the server to exit.
    ///
    /// - Returns: the exit code.
    func stop() throws -> Int32 {
        program.kill(SIGTERM)
        return try program.wait()
    }

    private static func waitUntilReady(_ program: Program) throws -> UInt16 {
        let deadline = Date(timeIntervalSinceNow: 900)
        while Date() < deadline {
            let output = program.output
            if output.contains("greentea ready on "), output.hasSuffix("\n"), let port = port(in: output) { return port }
            guard program.isRunning else { break }
            Thread.sleep(forTimeInterval: 0.002)
        }
        throw TestFailure("the server did not get ready: \(program.output)\(program.errors)")
    }

    /// Parses the port in `greentea ready on http://127.0.0.1:PORT (...)`, also with `https`.
    private static func port(in output: String) -> UInt16? {
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("greentea ready on http") }) else { return nil }
        return UInt16(line.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.dropFirst().prefix(while: \.isNumber))
    }
}
