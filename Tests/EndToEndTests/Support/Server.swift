import Foundation

/// A `greentea serve --dev` of one test, on a port of its own.
final class Server {
    let program: Program
    let port: UInt16

    /// Starts it and waits for its ready line.
    ///
    /// - Parameters:
    ///   - options: further arguments of the command line.
    ///   - isDevelopment: without it the options must say everything that `serve` needs.
    ///   - environment: variables beside this process's own.
    ///   - descriptors: how many the process may open, where not as many as this one.
    init(
        data: String, in folder: TemporaryFolder, options: [String] = [], isDevelopment: Bool = true, environment: [String: String] = [:],
        descriptors: Int? = nil
    ) throws {
        let mode = isDevelopment ? ["--dev"] : []
        let arguments = ["serve", "--data", data, "--listen", "127.0.0.1:0"] + mode + options
        if let descriptors {
            // It becomes the server itself, so that signals reach the right process.
            let limit = ["--nofile=\(descriptors):\(descriptors)", try Products.path(of: "greentea")]
            program = try Program("/usr/bin/prlimit", limit + arguments, in: folder, environment: environment)
        } else {
            program = try Program("greentea", arguments, in: folder, environment: environment)
        }
        port = try Self.waitUntilReady(program)
    }

    deinit { kill() }

    /// A client without a name.
    var client: Client { Client(port: port) }

    /// As the power goes: no handler runs, nothing is finished.
    func kill() {
        guard program.isRunning else { return }
        program.kill(SIGKILL)
        _ = try? program.wait()
    }

    /// Asks it to end.
    ///
    /// - Returns: its exit code.
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

    /// From `greentea ready on http://127.0.0.1:PORT (...)`, or `https`.
    private static func port(in output: String) -> UInt16? {
        guard let line = output.split(separator: "\n").first(where: { $0.hasPrefix("greentea ready on http") }) else { return nil }
        return UInt16(line.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.dropFirst().prefix(while: \.isNumber))
    }
}
