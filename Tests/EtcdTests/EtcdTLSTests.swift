import EventLog
import Foundation
import Patience
import Testing

@testable import Etcd

/// An etcd that asks its clients for certificates.
@Suite(.enabled(if: EtcdServer.isThere && Certificates.program != nil, "there is no etcd or no openssl"), .timeLimit(.minutes(15)))
struct EtcdTLSTests {
    private func log(_ server: EtcdServer, _ files: EtcdSettings.Files, user: (name: String, password: String)? = nil) throws -> EtcdLog {
        let settings = try EtcdSettings(endpoints: [server.endpoint], user: user, files: files, requestSeconds: 20)
        return EtcdLog(settings, log: "x", node: try .named("a"), process: 1)
    }

    private func check(_ server: EtcdServer, _ files: EtcdSettings.Files) throws { _ = try log(server, files).check() }

    @Test("Both sides prove who they are, and a wrong authority or an expired certificate is named")
    func certificates() throws {
        let own = try Certificates(), other = try Certificates()
        defer { for made in [own, other] { made.remove() } }
        let client = (certificate: own.file("client.pem"), key: own.file("client.key"))
        let files = EtcdSettings.Files(authority: own.file("ca.pem"), certificate: client.certificate, key: client.key)
        let server = try EtcdServer(own.serverArguments("server"), isTLS: true)
        try check(server, files)
        for authority in [other.file("ca.pem"), nil] {
            let wrong = EtcdSettings.Files(authority: authority, certificate: client.certificate, key: client.key)
            let fault = #expect(throws: EtcdFault.self) { try check(server, wrong) }
            guard case .certificate = fault else {
                Issue.record("\(fault.map { "\($0)" } ?? "none")")
                continue
            }
        }
        // In TLS 1.3, a server refuses a client's certificate only after the client has begun to send.
        let stranger = EtcdSettings.Files(
            authority: own.file("ca.pem"), certificate: other.file("client.pem"), key: other.file("client.key"))
        let refused = #expect(throws: EtcdFault.self) { try check(server, stranger) }
        #expect(refused.map { EventLogError($0).code } == .unreachable)
        let expired = try EtcdServer(own.serverArguments("expired"), isTLS: true)
        let fault = #expect(throws: EtcdFault.self) { try check(expired, files) }
        #expect(fault.map { "\($0)" }?.contains("renew") == true)
    }

    @Test("Beside a password, a certificate with a common name is refused by name, and one without it is accepted")
    func commonName() throws {
        let own = try Certificates()
        defer { own.remove() }
        func files(_ name: String) -> EtcdSettings.Files {
            EtcdSettings.Files(authority: own.file("ca.pem"), certificate: own.file(name + ".pem"), key: own.file(name + ".key"))
        }
        let server = try EtcdServer(own.serverArguments("server"), isTLS: true)
        try log(server, files("client")).gateway.enableUsers()
        #expect(throws: EtcdFault.namedCertificate) { try log(server, files("client"), user: ("root", "secret")).check() }
        _ = try log(server, files("unnamed"), user: ("root", "secret")).check()
    }
}

/// An authority, and certificates that it signs for 127.0.0.1: `server`, `client`, `unnamed` without a common name, and `expired`.
private struct Certificates {
    static let program = ["/usr/bin/openssl"].first { FileManager.default.isExecutableFile(atPath: $0) }

    private let folder = NSTemporaryDirectory() + "greentea-tls-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n".write(
            toFile: file("names"), atomically: true, encoding: .utf8)
        try run("req -x509 -newkey rsa:2048 -nodes -subj /CN=authority-\(UUID().uuidString) -days 2 -keyout ca.key -out ca.pem")
        for (name, days) in [("server", "2"), ("client", "2"), ("unnamed", "2"), ("expired", "-1")] {
            try run("req -newkey rsa:2048 -nodes -subj /\(name == "unnamed" ? "O" : "CN")=\(name) -keyout \(name).key -out \(name).csr")
            try run("x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -days \(days) -out \(name).pem")
        }
    }

    func file(_ name: String) -> String { folder + "/" + name }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    func serverArguments(_ name: String) -> [String] {
        [
            "--cert-file", file(name + ".pem"), "--key-file", file(name + ".key"), "--client-cert-auth", "--trusted-ca-file",
            file("ca.pem"),
        ]
    }

    private func run(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.program ?? "")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = URL(filePath: folder)
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        try process.runInTime()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "openssl \(arguments)")
    }
}
