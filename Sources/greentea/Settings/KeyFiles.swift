import CommandService
import EventLog
import Foundation
import LoyaltyCodec
import NIOSSL

/// Master keys as text. A new key is written as 64 hexadecimal digits; 44 characters of base64 are also read.
enum MasterKeyText {
    /// A new master key.
    static func make() -> String {
        SystemRandomness().bytes(MasterSecret.length).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The master key that the settings give, as text or as the path of a file; nil if they give neither.
    static func secret(_ settings: SettingsInForce) throws -> MasterSecret? {
        if let text = settings.text(.masterKey) { return try secret(text, of: "\(settings.source(.masterKey))") }
        guard let path = settings.text(.masterKeyFile) else { return nil }
        return try secret(inFile: path, settings)
    }

    /// The master key in a file that no other users may read; see ``SecretFile``.
    ///
    /// - Parameter settings: the settings of a start, one of which can accept other permissions; nil for commands that have no flag for it.
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

/// The certificate and key files for HTTPS.
struct TLSFiles {
    let certificate: String
    let key: String

    /// - Throws: `SettingFault`, which names the file and its fault.
    func configuration() throws(SettingFault) -> TLSConfiguration {
        let configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try chain().map { .certificate($0) }, privateKey: .privateKey(try privateKey()))
        // Checks that the key belongs to the certificate. Otherwise an error would appear only later, when the first client connects.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw SettingFault(.tlsKey, "\(key) is not the key of the certificate \(certificate) (tlsCert): give the two made together")
        }
        return configuration
    }

    /// The time at which the first certificate of the chain expires, in seconds since 1970.
    func end() throws(SettingFault) -> Int64? { try chain().first.map { Int64($0.notValidAfter) } }

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

/// A small text file, such as one with a key.
enum TextFile {
    static func text(of path: String) throws(FileFault) -> String {
        do { return try String(contentsOfFile: path, encoding: .utf8) } catch { throw FileFault(error) }
    }
}
