import Foundation
import Patience
import Testing

/// A real etcd of one member for one test.
final class Etcd {
    /// The program of the Debian package etcd-server, or one beside it; nil where there is none.
    static let program = ["/usr/bin/etcd", "/usr/local/bin/etcd"].first { FileManager.default.isExecutableFile(atPath: $0) }
    static var isThere: Bool { program != nil }
    static let isMissing: Comment = "there is no etcd: apt-get install etcd-server"
    private static let startsMax = 20

    let url: String
    private let process: Program
    private let folder: TemporaryFolder

    /// Starts a member, and waits until it serves requests. Another program may take its port first; then another one is tried.
    init(in folder: TemporaryFolder, _ certificates: Certificates? = nil, options: [String] = []) throws {
        let encryption = certificates?.memberOptions ?? []
        for _ in 1...Self.startsMax {
            let url = "\(certificates == nil ? "http" : "https")://127.0.0.1:\(try FreePort.number())", peer = "http://127.0.0.1:0"
            let process = try Program(
                Self.program ?? "",
                [
                    "--name", "a", "--data-dir", folder.file("etcd-" + UUID().uuidString), "--listen-client-urls", url,
                    "--advertise-client-urls", url, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster",
                    "a=" + peer,
                ] + encryption + options, in: folder)
            try eventually("etcd serves requests or ends") { !process.isRunning || process.errors.contains("ready to serve client") }
            if process.isRunning {
                (self.url, self.process, self.folder) = (url, process, folder)
                return
            }
        }
        throw TestFailure("no etcd could be started")
    }

    deinit { process.kill(SIGKILL) }

    /// The names of all keys, as somebody sees them who has its address.
    func keys() throws -> [String] {
        struct Found: Decodable {
            struct Pair: Decodable { let key: Data }
            let kvs: [Pair]?
        }
        let all = #"{"key":"AA==","range_end":"AA==","keys_only":true}"#
        let found = try JSONDecoder().decode(Found.self, from: Data(try call("/v3/kv/range", all).utf8))
        return (found.kvs ?? []).map { String(decoding: $0.key, as: UTF8.self) }
    }

    func remove(_ key: String) throws {
        _ = try call("/v3/kv/deleterange", #"{"key":"\#(Data(key.utf8).base64EncodedString())"}"#)
    }

    private func call(_ path: String, _ body: String) throws -> String {
        let curl = try Program("/usr/bin/curl", ["--silent", "--fail", "--data", body, url + path], in: folder)
        guard try curl.wait() == 0 else { throw TestFailure("etcd: \(curl.errors)") }
        return curl.output
    }
}

/// A port of this machine that the system gave, and that is free again.
enum FreePort {
    static func number() throws -> UInt16 {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(0x7f00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: both calls read and write the address during the call only.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe bind(listener, place, size) == 0 && getsockname(listener, place, &size) == 0
            }
        }
        guard isBound else { throw TestFailure("no free port: error \(errno)") }
        return UInt16(bigEndian: address.sin_port)
    }
}
