import EventLog
import Foundation
import NIOCore
import NIOPosix
import Patience
import Testing

@testable import Etcd

/// A real etcd of one member, with a folder of its own.
final class EtcdServer {
    /// The program of the Debian package etcd-server, or one beside it; nil where there is none.
    static let program = ["/usr/bin/etcd", "/usr/local/bin/etcd"].first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isThere: Bool { program != nil }
    static let isMissing: Comment = "there is no etcd: apt-get install etcd-server"
    private static let startsMax = 20

    let endpoint: String
    private let process: Process
    private let folder: String

    /// Starts a server, and waits until it serves requests.
    ///
    /// The gateway of etcd connects to the port that it was told, so that port cannot be 0. A port that is taken ends the process; then
    /// another one is tried.
    init(_ arguments: [String] = [], isTLS: Bool = false) throws {
        for _ in 1...Self.startsMax {
            let port = try Self.freePort()
            let (process, folder) = try Self.start(on: port, arguments, isTLS ? "https" : "http")
            var isReady = false
            try eventually("etcd serves requests or ends") {
                isReady = (try? String(contentsOfFile: folder + "/log", encoding: .utf8))?.contains("ready to serve client") == true
                return isReady || !process.isRunning
            }
            if isReady, process.isRunning {
                (endpoint, self.process, self.folder) = ((isTLS ? "https" : "http") + "://127.0.0.1:\(port)", process, folder)
                return
            }
            try? FileManager.default.removeItem(atPath: folder)
        }
        throw EtcdFault.notSent("no etcd could be started")
    }

    deinit { end() }

    /// Ends the process, as a power cut of its machine would.
    func end() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Stops the process without ending it, or lets it go on.
    func freeze(_ isFrozen: Bool) throws {
        if isFrozen { try Patience.freeze(process.processIdentifier) } else { kill(process.processIdentifier, SIGCONT) }
    }

    /// A port that the system gave, and that is free again.
    private static func freePort() throws -> Int {
        let listener = try ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0).wait()
        defer { try? listener.close().wait() }
        return listener.localAddress?.port ?? 0
    }

    private static func start(on port: Int, _ arguments: [String], _ scheme: String) throws -> (Process, folder: String) {
        let folder = NSTemporaryDirectory() + "greentea-etcd-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let log = URL(filePath: folder + "/log")
        try Data().write(to: log)
        let (process, output) = (Process(), try FileHandle(forWritingTo: log))
        let (url, peer) = ("\(scheme)://127.0.0.1:\(port)", "http://127.0.0.1:0")
        process.executableURL = URL(filePath: program ?? "")
        process.arguments =
            [
                "--name", "a", "--data-dir", folder + "/data", "--listen-client-urls", url, "--advertise-client-urls", url,
                "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "a=" + peer,
            ] + arguments
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, output, output)
        // Without a limit: a suite's server runs for as long as its tests, and `end()` follows in every case.
        try process.run()
        try output.close()
        return (process, folder)
    }

    /// A log of its own, whose reads do not wait.
    static func log(
        at endpoints: [String], user: (name: String, password: String)? = nil, seconds: Double = 20, waitSeconds: Double = 0.02
    ) throws -> EtcdLog {
        let settings = try EtcdSettings(endpoints: endpoints, user: user, requestSeconds: seconds, waitSeconds: waitSeconds)
        return EtcdLog(settings, log: UUID().uuidString, node: try .named("a"), process: 1)
    }
}

/// Gives a suite one etcd for all of its tests.
struct SharedEtcd: SuiteTrait, TestScoping {
    @TaskLocal static var endpoint = ""

    var isRecursive: Bool { false }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let server = try Self.started()
        defer { server.end() }
        try await Self.$endpoint.withValue(server.endpoint) { try await function() }
    }

    private static func started() throws -> EtcdServer { try EtcdServer() }
}

extension Trait where Self == SharedEtcd {
    static var sharedEtcd: SharedEtcd { SharedEtcd() }
}

extension Gateway {
    /// Adds the users `root` and `guest`, both with the password `secret`, and makes etcd ask for it.
    func enableUsers() throws {
        for user in ["root", "guest"] { _ = try ask("/v3/auth/user/add", ["name": user, "password": "secret"], .once) }
        _ = try ask("/v3/auth/role/add", ["name": "root"], .once)
        _ = try ask("/v3/auth/user/grant", ["user": "root", "role": "root"], .once)
        _ = try ask("/v3/auth/enable", [String: String](), .once)
    }
}

/// The code of the log's error that a closure throws; nil without one.
func code(_ act: () throws -> Void) -> EventLogError.Code? {
    do { try act() } catch { return (error as? EventLogError)?.code }
    return nil
}

extension NodeName {
    static func named(_ text: String) throws -> NodeName { try #require(NodeName(text)) }
}
