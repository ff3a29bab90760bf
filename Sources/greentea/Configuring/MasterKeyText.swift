import CommandService
import EventLog
import Foundation
import LoyaltyCodec

/// Master keys as text: 64 hexadecimal digits.
enum MasterKeyText {
    /// A new one.
    static func make() -> String {
        SystemRandomness().bytes(MasterSecret.length).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The one that is configured; nil where none is.
    ///
    /// - Throws: `Refusal.noKeyFile`, `.unreadableSecret`.
    static func secret(_ settings: SettingsInForce) throws -> MasterSecret? {
        if let text = settings.text(.masterKey) { return try secret(text, of: "\(settings.source(.masterKey))") }
        return try settings.text(.masterKeyFile).map { try secret(inFile: $0) }
    }

    /// The one in a file.
    ///
    /// - Throws: `Refusal.noKeyFile`, `.unreadableSecret`.
    static func secret(inFile path: String) throws -> MasterSecret {
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
