import EventLog
import Foundation
import NIOSSL

/// The files that HTTPS is served with.
struct TLSFiles {
    let certificate: String
    let key: String

    /// - Throws: `SettingFault`, which names the file and what is wrong with it.
    func configuration() throws(SettingFault) -> TLSConfiguration {
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain().map { .certificate($0) }, privateKey: .privateKey(try privateKey()))
        // Whether the two belong together shows here, not at the first client.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw SettingFault(.tlsKey, "\(key) is not the key of the certificate \(certificate) (tlsCert): give the two made together")
        }
        return configuration
    }

    private func chain() throws(SettingFault) -> [NIOSSLCertificate] {
        let text = try Self.text(of: certificate, .tlsCert)
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(Array(text.utf8)), !chain.isEmpty else {
            throw SettingFault(.tlsCert, "\(certificate) holds no certificate: give a chain in PEM, which has lines BEGIN CERTIFICATE")
        }
        return chain
    }

    private func privateKey() throws(SettingFault) -> NIOSSLPrivateKey {
        let text = try Self.text(of: key, .tlsKey)
        guard let key = try? NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem) else {
            throw SettingFault(.tlsKey, "\(key) holds no private key that is readable without a passphrase: give it in PEM")
        }
        return key
    }

    private static func text(of path: String, _ setting: Setting) throws(SettingFault) -> String {
        do { return try TextFile.text(of: path) } catch { throw SettingFault(setting, "\(path): \(error)") }
    }
}
