import Audit
import CommandService
import Composition
import EventLog
import Foundation
import LoyaltyCodec
import NIOSSL
import Nodes
import TextMessages
import WebPages

/// The settings as `serve` uses them: complete, typed and safe.
struct ServiceConfiguration {
    let data: String
    let listen: ListenAddress
    let isDevelopment: Bool
    /// For codes and links; nil for the bound address.
    let publicURL: String?
    private(set) var proving = ProvingOptions()
    /// The server whose log this one copies.
    let follow: NodeAddress?
    /// The file with the certificates by which other servers are known.
    let nodeCA: String?
    let cluster: ClusterSettings?
    let operators: Set<E164Number>
    /// Nil only in development, for the data folder's own secret.
    let master: MasterSecret?
    let messages: MessageRoute?
    let messageSecret: [UInt8]
    let messageLimits: MessageLimits
    let tls: TLSConfiguration?
    /// Whether browsers use https, by the service or a proxy.
    let isEncrypted: Bool
    /// Seconds since 1970; nil without HTTPS.
    let certificateEnd: Int64?
    let trustedProxies: Int
    let audit: AuditSchedule
    /// Turns off the limits on accounts' and addresses' requests and connections, always in development.
    let isUnlimited: Bool
    let logsAccess: Bool
    let log: LogSettings
    let traces: TraceSettings?
    let maps: MapLimits
    let tiles: MapTiles?

    /// - Throws: a `Refusal` that names all missing settings, or the invalid one.
    init(_ settings: SettingsInForce) throws {
        self = try settings.refusing { try Self(checking: settings) }
    }

    /// The settings that nodes compare: without what only `serve` needs, such as a certificate and the secret of the webhook.
    ///
    /// - Throws: a `Refusal` that names an invalid setting.
    init(toCompare settings: SettingsInForce) throws {
        self = try settings.refusing { try Self(checking: settings, toServe: false) }
    }

    private init(checking settings: SettingsInForce, toServe: Bool = true) throws {
        isDevelopment = settings.flag(.dev)
        listen = try settings.value(.listen, "it must be HOST:PORT") { ListenAddress(argument: $0) } ?? .standard
        if isDevelopment, !listen.isLoopback { throw Refusal.developmentBeyondLoopback(listen.description) }
        master = try MasterKeyText.secret(settings)
        messages = try Self.route(settings)
        let server = "it must be the http:// or https:// URL of a server, without a path, such as https://tea-1.example"
        follow = try settings.value(.follow, server) { try? NodeAddress($0) }
        nodeCA = settings.text(.nodeCa)
        cluster = try ClusterSettings(settings, served: isDevelopment && listen.port != 0 ? "http://\(listen)" : nil)
        messageSecret = toServe ? try Self.secret(settings, for: messages) : []
        if toServe {
            try Self.refuseMissing(settings, sendsMessages: !isDevelopment && follow == nil, isDevelopment, master, messages, messageSecret)
            if let cluster, cluster.advertise == nil {
                throw Refusal.notConfigured(["this node's address for the others: --advertise URL"])
            }
        }
        proving.acceptsLostKeys = try Self.lostKeys(settings)
        (proving.acceptsDamagedLog, proving.acceptsOlderLog) = (settings.flag(.acceptDamagedLog), settings.flag(.acceptOlderLog))
        data = settings.text(.data) ?? ""
        let base = "it must be an http:// or https:// URL with a host and no query, such as https://tea.example"
        publicURL = try settings.value(.publicUrl, base) { WebAddress(text: $0).isBase ? $0 : nil }
        proving.origin = try Self.name(settings)
        logsAccess = settings.flag(.accessLog)
        log = try LogSettings(settings)
        traces = try TraceSettings(settings)
        isUnlimited = isDevelopment || settings.flag(.unlimitedRequests)
        operators = try Self.phones(settings)
        messageLimits = try Self.messageLimits(settings)
        let files = toServe ? try Self.tlsFiles(settings) : nil
        (tls, certificateEnd) = (try files?.configuration(), try files?.end())
        if toServe { try SafeSettings.check(settings, listen: listen, route: messages, hasTLS: tls != nil) }
        let schedules = "it must be off, or such as every:1h, every:15m, every:30s"
        audit = try settings.value(.audit, schedules) { AuditSchedule(text: $0) } ?? .standard
        maps = try Self.maps(settings)
        isEncrypted = tls != nil || publicURL?.lowercased().hasPrefix("https://") == true
        tiles = try MapTiles(settings, isSecure: isEncrypted)
        trustedProxies = try Self.number(settings, .trustedProxies, in: 0...Self.proxiesMax) ?? 0
    }

    /// Nil for a server that writes itself.
    var leader: LeaderMaker? {
        guard let follow else { return nil }
        return { [nodeCA] keys, origin in try OtherNode(follow, authorities: nodeCA, keys, log: origin) }
    }

    /// As many as this node usually connects to.
    var otherNodes: Int { cluster == nil ? follow == nil ? 0 : 1 : 2 }

    /// A larger number is a typing mistake.
    private static let proxiesMax = 10

    private static func refuseMissing(
        _ settings: SettingsInForce, sendsMessages: Bool, _ isDevelopment: Bool, _ master: MasterSecret?, _ route: MessageRoute?,
        _ secret: [UInt8]
    ) throws {
        var missing: [String] = []
        if settings.text(.data) == nil { missing.append("a data folder: --data DIR") }
        if !isDevelopment, master == nil {
            missing.append("a master key: --master-key-file FILE or GREENTEA_MASTER_KEY; `greentea key new` prints one")
        }
        if sendsMessages, route == nil { missing.append("an SMS sender: --sms webhook:URL or --sms file:PATH") }
        if case .webhook = route, secret.isEmpty {
            missing.append("a secret that messages to the webhook are signed with: --sms-secret-file FILE or GREENTEA_SMS_SECRET")
        }
        guard missing.isEmpty else { throw Refusal.notConfigured(missing) }
    }

    /// Confirms that the log is opened although all its keys are lost.
    static let lostKeysWord = "forget-everyone"

    private static func lostKeys(_ settings: SettingsInForce) throws -> Bool {
        guard let word = settings.text(.acceptLostKeys) else { return false }
        guard case .flag = settings.source(.acceptLostKeys) else {
            throw SettingFault(.acceptLostKeys, "only a flag can say so, since it is for one start")
        }
        guard word == lostKeysWord else { throw SettingFault(.acceptLostKeys, "the word must be \(lostKeysWord)") }
        return true
    }

    private static func route(_ settings: SettingsInForce) throws -> MessageRoute? {
        let route = try settings.value(.sms, "it must be webhook:URL or file:PATH") { MessageRoute($0) }
        // Does not repeat the address, which may contain a secret.
        if case .webhook(let url) = route, !WebAddress(text: url).isUsable {
            throw SettingFault(.sms, "after webhook: there must be an http:// or https:// URL with a host")
        }
        return route
    }

    private static func name(_ settings: SettingsInForce) throws -> String? {
        guard let name = settings.text(.origin) else { return nil }
        do { try EventLog.check(origin: name) } catch {
            throw SettingFault(.origin, String("\(error.detail) \(error.remedy)".dropLast()))
        }
        return name
    }

    /// Empty without a webhook.
    private static func secret(_ settings: SettingsInForce, for route: MessageRoute?) throws -> [UInt8] {
        guard case .webhook = route else { return [] }
        if let text = settings.text(.smsSecret) { return Array(text.utf8) }
        guard let path = settings.text(.smsSecretFile) else { return [] }
        return Array(try TextFile.text(of: path, for: .smsSecretFile).trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }

    private static func phones(_ settings: SettingsInForce) throws -> Set<E164Number> {
        let numbers = settings.list(.operators).map { E164Number(meaning: $0) }
        guard !numbers.contains(nil) else { throw SettingFault(.operators, "each must be a number such as +8613800000000") }
        return Set(numbers.compactMap(\.self))
    }

    private static func messageLimits(_ settings: SettingsInForce) throws -> MessageLimits {
        var limits = MessageLimits(countries: settings.list(.smsCountries))
        guard limits.countries.allSatisfy({ MessageLimits.isPrefix($0) }) else {
            throw SettingFault(.smsCountries, "each must be the beginning of a number, such as +86")
        }
        limits.perDay = try number(settings, .smsPerDay, in: MessageLimits.perDayRange) ?? limits.perDay
        return limits
    }

    private static func maps(_ settings: SettingsInForce) throws -> MapLimits {
        var maps = MapLimits()
        maps.log.bytes = try number(settings, .logMapGib, in: mapGibRange).map { $0 << 30 }
        maps.keys.bytes = try number(settings, .keysMapGib, in: mapGibRange).map { $0 << 30 }
        maps.model.bytes = try number(settings, .modelMapGib, in: mapGibRange).map { $0 << 30 }
        return maps
    }

    /// GiB of one map. A process's maps share 128 TiB of address space.
    private static let mapGibRange = 1...16_384

    private static func number(_ settings: SettingsInForce, _ setting: Setting, in range: ClosedRange<Int>) throws -> Int? {
        guard let number = settings.number(setting) else { return nil }
        guard range.contains(number) else { throw SettingFault(setting, "it must be \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    private static func tlsFiles(_ settings: SettingsInForce) throws -> TLSFiles? {
        let (certificate, key) = (settings.text(.tlsCert), settings.text(.tlsKey))
        if certificate == nil, key == nil { return nil }
        guard let certificate, let key else {
            let (given, missing) = certificate == nil ? (Setting.tlsKey, Setting.tlsCert) : (.tlsCert, .tlsKey)
            throw SettingFault(given, "it is given without \(missing.rawValue): give \(missing.flag) FILE as well, or neither")
        }
        return TLSFiles(certificate: certificate, key: key)
    }
}

extension ServiceConfiguration {
    /// Checks files and folders as `serve` would, creating and changing only LMDB's lock files.
    ///
    /// - Throws: a `Refusal`, or an error of the key store or of the sender of messages.
    func checkPlaces(_ settings: SettingsInForce) async throws {
        let folder = DataFolder(data)
        try DataPlace(path: folder.path, own: settings.namedFiles).check()
        try await checkMessages()
        if let origin = proving.origin, !DataPlace(path: folder.path).beginsLog {
            try LogFile(directory: folder.log).require(origin: origin)
        }
        if !proving.acceptsLostKeys { try KeyStore.requireKeys(of: folder) }
        guard let master = try master ?? knownDevelopmentSecret(of: folder, settings) else { return }
        try checkKeys(of: folder, master)
    }

    private func checkMessages() async throws {
        switch messages {
        case nil: break
        case .webhook: try await messages?.sender(secret: messageSecret).close()
        case .file(let path): try checkFile(path)
        }
    }

    private func checkFile(_ path: String) throws(Refusal) {
        let (file, files) = (URL(filePath: path), FileManager.default)
        let (exists, folder) = (files.fileExists(atPath: path), file.deletingLastPathComponent())
        let fault: FileFault? =
            if file.isFolder {
                .isFolder
            } else if !exists, !folder.isFolder {
                FileFault(words: "there is no folder \(folder.path)")
            } else {
                files.isWritableFile(atPath: exists ? path : folder.path) ? nil : .forbidden
            }
        if let fault { throw .badConfiguration("sms", "\(path) cannot be written: \(fault)") }
    }

    private func checkKeys(of folder: DataFolder, _ master: MasterSecret) throws {
        guard FileManager.default.fileExists(atPath: folder.keys) else { return }
        try KeyStore.check(master, in: folder.keys)
    }
}
