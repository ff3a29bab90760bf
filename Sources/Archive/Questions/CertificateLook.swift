internal import Foundation
internal import NIOSSL

/// Checks a TLS certificate and key: readability, match and expiry.
///
/// Both files are read on creation, so that a program can read them before it gives up root's rights.
public struct CertificateLook: Sendable {
    private let certificate: String
    private let key: String?
    private let chain: [NIOSSLCertificate]?
    private let fault: (finding: String, remedy: String)?

    public init(certificate: String, key: String?) {
        (self.certificate, self.key) = (certificate, key)
        let found = Self.bytes(certificate).flatMap { try? NIOSSLCertificate.fromPEMBytes($0) } ?? []
        chain = found.isEmpty ? nil : found
        fault = Self.chainFault(certificate, found) ?? key.flatMap { Self.keyFault($0, of: certificate, found) }
    }

    private static func chainFault(_ path: String, _ chain: [NIOSSLCertificate]) -> (String, String)? {
        if bytes(path) == nil {
            return ("\(path) is missing or cannot be read by this user", "Put it there, and let the service's user read it: ls -l \(path).")
        }
        guard chain.isEmpty else { return nil }
        return ("\(path) holds no certificate", "Give a chain in PEM, which has lines BEGIN CERTIFICATE; the server's own comes first.")
    }

    private static func keyFault(_ path: String, of certificate: String, _ chain: [NIOSSLCertificate]) -> (String, String)? {
        guard let bytes = bytes(path) else {
            return (
                "the key \(path) is missing or cannot be read by this user",
                "Put it there, and let the service's user read it, or look as root: ls -l \(path)."
            )
        }
        guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem) else {
            return ("\(path) holds no private key that is readable without a passphrase", "Give the key in PEM, without a passphrase.")
        }
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        if (try? NIOSSLContext(configuration: configuration)) == nil {
            return ("\(path) is not the key of \(certificate)", "Give the two that were made together.")
        }
        return isOpen(path) ? ("the key \(path) can be read by others than its owner", "chmod 600 \(path)") : nil
    }

    /// Whether the service refuses the key file because other users than its owner have permissions for it.
    private static func isOpen(_ path: String) -> Bool {
        let real = URL(filePath: path).resolvingSymlinksInPath().path
        let files = FileManager.default
        return isOpen(mode: files.number(.posixPermissions, of: real) ?? 0, isRoots: files.number(.ownerAccountID, of: real) == 0)
    }

    /// Whether the service refuses a key file with these permission bits, by the rule of `SecretFile`: a file of root may be open to its
    /// group.
    package static func isOpen(mode: Int, isRoots: Bool) -> Bool { mode & 0o007 != 0 || (!isRoots && mode & 0o070 != 0) }

    private static func bytes(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map { Array($0) } }

    /// Below this remaining validity, two weeks, the renewal of a short-lived certificate is overdue.
    private static let warningSeconds: Int64 = 14 * 86_400
    private static let renewal = "Renew it, then start the service again (systemctl restart greentea): it reads the files at the start."

    /// - Parameter seconds: the present time, in seconds since 1970.
    func line(at seconds: Int64) -> Checkup.Line {
        func line(_ verdict: Checkup.Line.Verdict, _ finding: String, _ remedy: String) -> Checkup.Line {
            Checkup.Line("certificate", verdict, finding, remedy)
        }
        if let fault { return line(.bad, fault.finding, fault.remedy) }
        guard let first = chain?.first else { return line(.bad, "\(certificate) holds no certificate", "Give a chain in PEM.") }
        let (begin, end) = (Int64(first.notValidBefore), Int64(first.notValidAfter))
        if seconds < begin { return line(.bad, "\(certificate) is not valid yet", "Check the clock (timedatectl), then the certificate.") }
        let days = (end - seconds) / 86_400
        if end <= seconds { return line(.bad, "\(certificate) expired \(-days) days ago", Self.renewal) }
        let name = key == nil ? "\(certificate), its key not looked at," : certificate
        return Checkup.Line(
            "certificate", .warning, if: end - seconds < Self.warningSeconds, "\(name) expires in \(days) days", Self.renewal)
    }
}
