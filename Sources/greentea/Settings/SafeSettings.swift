import CommandService
import EventLog
import Foundation

/// Refuses settings with which other people could read protected data, unless another setting confirms them.
enum SafeSettings {
    /// - Throws: `Refusal.exposed`.
    static func check(_ settings: SettingsInForce, listen: ListenAddress, route: MessageRoute?, hasTLS: Bool) throws(Refusal) {
        try checkListen(settings, listen, hasTLS)
        try checkRoute(settings, route)
        try checkNodes(settings)
        if let path = settings.text(.tlsKey) { try checkKey(path, settings, replacing: "get another certificate with a key of its own") }
        // The file is only read for a webhook.
        if case .webhook = route, let path = settings.text(.smsSecretFile) {
            try checkKey(path, settings, replacing: "give the service and the webhook's gateway another secret")
        }
    }

    /// Refuses a key file that other users can access, unless `allowReadableKeys` is set.
    ///
    /// - Parameter replacing: the way to replace the key; nil for the master key.
    static func checkKey(_ path: String, _ settings: SettingsInForce, replacing: String? = nil) throws(Refusal) {
        if settings.flag(.allowReadableKeys) { return }
        var file = SecretFile(path: path)
        if let replacing { file.replacing = replacing }
        try file.check(flag: Setting.allowReadableKeys.flag)
    }

    /// Refuses to send tokens and phone numbers unencrypted over a network. A trusted proxy is expected to encrypt.
    private static func checkListen(_ settings: SettingsInForce, _ listen: ListenAddress, _ hasTLS: Bool) throws(Refusal) {
        let isBehindProxy = (settings.number(.trustedProxies) ?? 0) > 0
        if listen.isLoopback || hasTLS || isBehindProxy || settings.flag(.allowPlainHttp) { return }
        throw .exposed(
            "plain HTTP on \(listen), which other machines can reach: tokens and phone numbers would cross the network unencrypted",
            remedy: "Give --tls-cert and --tls-key, listen on 127.0.0.1, or say with --trusted-proxies 1 that a proxy of yours encrypts; "
                + "or start with \(Setting.allowPlainHttp.flag) if this is meant.")
    }

    /// Refuses to send sign-in codes unencrypted over a network.
    private static func checkRoute(_ settings: SettingsInForce, _ route: MessageRoute?) throws(Refusal) {
        guard case .webhook(let url) = route, !settings.flag(.allowPlainWebhook), let host = plainHost(of: url) else { return }
        throw .exposed(
            "a webhook over http:// to \(host): sign-in codes would cross the network unencrypted",
            remedy: "Give an https:// address, or start with \(Setting.allowPlainWebhook.flag) if this is meant.")
    }

    /// Refuses to pass on passwords, tokens and events unencrypted over a network.
    static func checkNodes(_ settings: SettingsInForce) throws(Refusal) {
        for (setting, what) in [(Setting.follow, "tokens of writes"), (.advertise, "tokens of writes"), (.cluster, "events of the log")] {
            let hosts = (settings.text(setting) ?? "").split(separator: ",").compactMap { plainHost(of: String($0)) }
            guard let host = hosts.first, !settings.flag(.allowPlainHttp) else { continue }
            throw .exposed(
                "\(setting.flag) over http:// to \(host): the passwords and \(what) would cross the network unencrypted",
                remedy: "Give an https:// address, or start with \(Setting.allowPlainHttp.flag) if this is meant.")
        }
    }

    /// The host of an address without TLS; nil if it is this machine.
    private static func plainHost(of url: String) -> String? {
        guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http", let host = parts.host else { return nil }
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return ListenAddress(host: bare, port: 0).isLoopback ? nil : host
    }
}

struct SecretFile {
    let path: String
    /// For the remedy if others may have read the secret.
    var replacing = "change the master key (greentea key rotate --help)"

    /// Nil if only the owner has access, or the file cannot be examined. Root's files may have a group: Debian's TLS keys (root:ssl-cert),
    /// and systemd's credentials, whose access list looks like it.
    var openMode: Int? {
        let real = URL(filePath: path).resolvingSymlinksInPath().path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: real),
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
        else { return nil }
        let isRoots = (attributes[.ownerAccountID] as? NSNumber)?.intValue == 0
        return mode & 0o007 != 0 || (!isRoots && mode & 0o070 != 0) ? mode & 0o7777 : nil
    }

    /// - Parameter flag: accepts a file that others can read.
    /// - Throws: `Refusal.exposed`.
    func check(flag: String? = nil) throws(Refusal) {
        guard let mode = openMode else { return }
        let meant = flag.map { "; or start with \($0) if this is meant" } ?? ""
        // Names the command that replaces the key: with only a new key in the file, all data would be unreadable.
        throw .exposed(
            "the key file \(path) can be read by others than its owner (mode 0\(String(mode, radix: 8)))",
            remedy: "chmod 600 \(path), and try again\(meant). If others have been on this machine, \(replacing), and keep this file until "
                + "then.")
    }
}
