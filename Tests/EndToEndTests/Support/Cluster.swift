import Foundation
import Patience

/// Three nodes of one log, over an etcd of one member.
final class Cluster {
    static let nodes = [1, 2, 3]

    let folder: TemporaryFolder
    private(set) var etcd: Etcd
    private(set) var servers: [Int: Server] = [:]
    private let certificates: Certificates?

    /// Makes the folders, and begins the cluster. No node runs yet.
    ///
    /// - Parameters:
    ///   - isEncrypted: etcd asks for certificates, and the nodes speak https.
    ///   - etcdOptions: further arguments of etcd.
    init(isEncrypted: Bool = false, etcdOptions: [String] = []) throws {
        folder = try TemporaryFolder()
        certificates = isEncrypted ? try Certificates(in: folder) : nil
        etcd = try Etcd(in: folder, certificates, options: etcdOptions)
        guard try Server(data: data(1), in: folder).stop() == 0 else { throw TestFailure("the first start failed") }
        for node in Self.nodes.dropFirst() { try FileManager.default.copyItem(atPath: data(1), toPath: data(node)) }
        let begun = try run("init", at: 1)
        guard begun.status == 0, begun.output.contains("begins at position 0") else { throw TestFailure("\(begun)") }
    }

    func data(_ node: Int) -> String { folder.file(name(node)) }

    func name(_ node: Int) -> String { "tea-\(node)" }

    func server(_ node: Int) throws -> Server {
        guard let server = servers[node] else { throw TestFailure("\(name(node)) does not run") }
        return server
    }

    func start(_ node: Int) throws {
        let port = try FreePort.number()
        servers[node] = try Server(data: data(node), in: folder, port: port, options: options(name(node)) + encryption(at: port))
    }

    /// The settings that `serve` and the commands share.
    func options(_ name: String) -> [String] {
        ["--cluster", etcd.url, "--node", name]
            + (certificates.map {
                [
                    "--cluster-ca", $0.file("ca.pem"), "--cluster-certificate", $0.file("client.pem"), "--cluster-key",
                    $0.file("client.key"), "--node-ca", $0.file("ca.pem"),
                ]
            } ?? [])
    }

    private func encryption(at port: UInt16) -> [String] {
        guard let certificates else { return [] }
        return [
            "--tls-cert", certificates.file("server.pem"), "--tls-key", certificates.file("server.key"), "--advertise",
            "https://127.0.0.1:\(port)",
        ]
    }

    /// Gives the cluster an etcd without any data, for what is started from then on.
    func emptyEtcd() throws { etcd = try Etcd(in: folder, certificates) }

    /// Sends a request by curl, which checks the node's certificate.
    func ask(_ node: Int, _ path: String, json: String? = nil) throws -> Finished {
        let authority = certificates.map { ["--cacert", $0.file("ca.pem")] } ?? []
        let body = json.map { ["--data", $0, "--header", "Content-Type: application/json"] } ?? []
        let url = "\(certificates == nil ? "http" : "https")://127.0.0.1:\(try server(node).port)\(path)"
        let words = ["--silent", "--show-error", "--fail-with-body", url]
        let program = try Program("/usr/bin/curl", words + authority + body, in: folder)
        let status = try program.wait()
        return Finished(status: status, output: program.output, errors: program.errors)
    }

    /// Runs `greentea cluster`, with further words after the subcommand.
    func run(_ command: String, _ words: String..., at node: Int) throws -> Finished {
        let program = try Program("greentea", ["cluster", command] + words + ["--data", data(node)] + options(name(node)), in: folder)
        let status = try program.wait()
        return Finished(status: status, output: program.output, errors: program.errors)
    }

    struct Status: Decodable {
        struct Node: Decodable {
            let name: String
            let lag: UInt64
            let otherSettings: Bool
        }

        let writer: String?
        let term: UInt64?
        let position: UInt64?
        let nodes: [Node]
    }

    /// Waits for a state of the cluster.
    @discardableResult
    func awaitStatus(_ what: String, _ holds: (Status) -> Bool) throws -> Status {
        let deadline = ContinuousClock.now + .seconds(patienceSeconds)
        while true {
            let finished = try run("status", "--json", at: 1)
            if let status = try? JSONDecoder().decode(Status.self, from: Data(finished.output.utf8)), holds(status) { return status }
            guard ContinuousClock.now < deadline else { throw TestFailure("not in time: \(what): \(finished)") }
            Thread.sleep(forTimeInterval: 0.2)
        }
    }

    /// Waits until all nodes are known and one of them, but not `former`, writes.
    func awaitWriter(otherThan former: Int? = nil, alive count: Int) throws -> Int {
        let status = try awaitStatus("a writer among \(count) nodes") { status in
            status.nodes.count == count && status.writer != nil && status.writer != former.map(name)
        }
        guard let node = Self.nodes.first(where: { name($0) == status.writer }) else { throw TestFailure("\(status)") }
        return node
    }

    /// Repeats what is refused for a moment, while the nodes do not yet know one another.
    static func repeating<Value>(_ act: () throws -> Value) throws -> Value {
        let deadline = ContinuousClock.now + .seconds(patienceSeconds)
        while true {
            do { return try act() } catch let failure as TestFailure {
                guard failure.description.hasPrefix("503 "), ContinuousClock.now < deadline else { throw failure }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }
}
