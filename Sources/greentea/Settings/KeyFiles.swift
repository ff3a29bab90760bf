import CommandService
import EventLog
import Foundation
import LoyaltyCodec
import NIOSSL

/// Master keys as text: 64 hexadecimal digits, or 44 characters of base64.
enum MasterKeyText {
    static func make() -> String {
        SystemRandomness().bytes(MasterSecret.length).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// As text or as a file's path; nil if the settings give neither.
    static func secret(_ settings: SettingsInForce) throws -> MasterSecret? {
        if let text = settings.text(.masterKey) { return try secret(text, of: "\(settings.source(.masterKey))") }
        guard let path = settings.text(.masterKeyFile) else { return nil }
        return try secret(inFile: path, settings)
    }

    /// The key in a file that no other users may read; see ``SecretFile``.
    ///
    /// - Parameter settings: can accept other permissions; nil for commands without settings.
    /// - Throws: `Refusal.noKeyFile`, `.unreadableSecret`, `.exposed`.
    static func secret(inFile path: String, _ settings: SettingsInForce? = nil) throws -> MasterSecret {
        if let settings { try SafeSettings.checkKey(path, settings) } else { try SecretFile(path: path).check() }
        return try secret(of: path)
    }

    private static func secret(of path: String) throws -> MasterSecret {
        let text: String
        do throws(FileFault) { text = try TextFile.text(of: path) } catch {
            throw error == .missing ? Refusal.noKeyFile(path) : .unreadableSecret(path: path, reason: "\(error)")
        }
        return try secret(text, of: path)
    }

    private static func secret(_ text: String, of place: String) throws -> MasterSecret {
        do { return try MasterSecret(text: text) } catch {
            throw Refusal.unreadableSecret(path: place, reason: "it is neither 64 hexadecimal digits nor 44 characters of base64")
        }
    }
}

struct TLSFiles {
    let certificate: String
    let key: String

    /// - Throws: `SettingFault`, which names the file and its fault.
    func configuration() throws(SettingFault) -> TLSConfiguration {
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain().map { .certificate($0) }, privateKey: .privateKey(try privateKey()))
        // Checks the key against the certificate: an error would otherwise appear at the first client.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw SettingFault(.tlsKey, "\(key) is not the key of the certificate \(certificate) (tlsCert): give the two made together")
        }
        return configuration
    }

    /// In seconds since 1970, of the chain's first certificate.
    func end() throws(SettingFault) -> Int64? { try chain().first.map { Int64($0.notValidAfter) } }

    private func chain() throws(SettingFault) -> [NIOSSLCertificate] {
        let text = try TextFile.text(of: certificate, for: .tlsCert)
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(Array(text.utf8)), !chain.isEmpty else {
            throw SettingFault(.tlsCert, "\(certificate) holds no certificate: give a chain in PEM, which has lines BEGIN CERTIFICATE")
        }
        return chain
    }

    private func privateKey() throws(SettingFault) -> NIOSSLPrivateKey {
        let text = try TextFile.text(of: key, for: .tlsKey)
        guard let key = try? NIOSSLPrivateKey(bytes: Array(text.utf8), format: .pem) else {
            throw SettingFault(.tlsKey, "\(key) holds no private key that is readable without a passphrase: give it in PEM")
        }
        return key
    }
}

enum TextFile {
    static func text(of path: String) throws(FileFault) -> String {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch { throw FileFault(error) }
    }

    static func text(of path: String, for setting: Setting) throws(SettingFault) -> String {
        do { return try text(of: path) } catch { throw SettingFault(setting, "\(path): \(error)") }
    }
}
