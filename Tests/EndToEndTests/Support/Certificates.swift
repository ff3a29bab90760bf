import Foundation

/// An authority, and certificates that it signs for 127.0.0.1: `server`, and `client` without a common name.
struct Certificates {
    static let program = "/usr/bin/openssl"
    static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private let folder: String

    init(in parent: TemporaryFolder) throws {
        folder = parent.file("certificates")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n".write(
            toFile: file("names"), atomically: true, encoding: .utf8)
        try run("req -x509 -newkey rsa:2048 -nodes -subj /CN=authority -days 2 -keyout ca.key -out ca.pem", in: parent)
        for name in ["server", "client"] {
            let subject = name == "client" ? "/O=client" : "/CN=server"
            try run("req -newkey rsa:2048 -nodes -subj \(subject) -keyout \(name).key -out \(name).csr", in: parent)
            try run(
                "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -days 2 -out \(name).pem", in: parent)
        }
    }

    func file(_ name: String) -> String { folder + "/" + name }

    /// A member of etcd that asks its clients for certificates.
    var memberOptions: [String] {
        ["--cert-file", file("server.pem"), "--key-file", file("server.key"), "--client-cert-auth", "--trusted-ca-file", file("ca.pem")]
    }

    /// Names of files are within the folder.
    private func run(_ words: String, in parent: TemporaryFolder) throws {
        let words = words.split(separator: " ").map { word in
            word == "names" || [".pem", ".key", ".csr"].contains { word.hasSuffix($0) } ? file(String(word)) : String(word)
        }
        let made = try Program(Self.program, words, in: parent)
        guard try made.wait() == 0 else { throw TestFailure("openssl \(words): \(made.errors)") }
    }
}
