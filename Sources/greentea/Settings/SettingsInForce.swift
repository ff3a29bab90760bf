import Audit
import CommandService
import Configuration
import EventLog
import Foundation
import Logging
import ServiceLog

/// Every setting's value and source for one start.
struct SettingsInForce {
    private var found: [Setting: (value: ConfigContent, source: SettingSource)] = [:]
    /// About settings and variables without effect.
    private(set) var notes: [String] = []

    init(_ flags: ServiceFlags, environment: [String: String] = ProcessInfo.processInfo.environment) async throws {
        let file = flags.config ?? environment["GREENTEA_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let strangers = try VariableNames(environment).strangers()
        let sources = try await SettingSources(flags: flags.values, environment: environment, file: file)
        for setting in Setting.allCases { found[setting] = try sources.lookUp(setting) }
        notes = strangers.map { "the variable \($0) is no setting, and says nothing" } + sources.overruled(found.mapValues(\.source))
        try refusePairs()
    }

    /// Refuses a secret both as text and as a file, because it would not be obvious which counts.
    private func refusePairs() throws(Refusal) {
        for (setting, file) in [(Setting.masterKey, Setting.masterKeyFile), (.smsSecret, .smsSecretFile)] {
            guard let first = found[setting]?.source, let second = found[file]?.source else { continue }
            throw .badConfiguration("\(setting.rawValue)", "it is given twice, by \(first) and by \(second): take one of them away")
        }
    }

    func text(_ setting: Setting) -> String? {
        guard case .string(let text) = found[setting]?.value else { return nil }
        return text
    }

    /// A text as the value that `parse` makes of it; nil without a text.
    ///
    /// - Parameter reason: for a text of which it makes none.
    func value<Value>(_ setting: Setting, _ reason: String, _ parse: (String) -> Value?) throws(SettingFault) -> Value? {
        guard let text = text(setting) else { return nil }
        guard let value = parse(text) else { throw SettingFault(setting, reason) }
        return value
    }

    /// - Throws: a `SettingFault` of `read` as `Refusal.badConfiguration`; other errors unchanged.
    func refusing<Value>(_ read: () throws -> Value) throws -> Value {
        do { return try read() } catch let fault as SettingFault {
            throw Refusal.badConfiguration("\(fault.setting.rawValue) (\(source(fault.setting)))", fault.reason)
        }
    }

    func flag(_ setting: Setting) -> Bool { found[setting]?.value == .bool(true) }

    func number(_ setting: Setting) -> Int? {
        guard case .int(let number) = found[setting]?.value else { return nil }
        return number
    }

    func ratio(_ setting: Setting) -> Double? {
        guard case .double(let number) = found[setting]?.value else { return nil }
        return number
    }

    func list(_ setting: Setting) -> [String] {
        guard case .stringArray(let list) = found[setting]?.value else { return [] }
        return list
    }

    /// Files that settings name, with the folders on their paths: the parts of all texts, paths or not.
    var namedFiles: Set<String> {
        let texts = found.values.compactMap { if case .string(let text) = $0.value { text } else { nil } }
        return Set(texts.flatMap { (($0.hasPrefix("file:") ? String($0.dropFirst(5)) : $0) as NSString).pathComponents })
    }

    func source(_ setting: Setting) -> SettingSource { found[setting]?.source ?? .standard }

    /// Secrets, secret parts of addresses and operators' phone numbers are hidden.
    var rows: [SettingRow] { Setting.allCases.map { SettingRow(name: $0.rawValue, value: shown($0), source: "\(source($0))") } }

    private func shown(_ setting: Setting) -> String {
        guard let value = found[setting]?.value else { return setting.standard }
        if setting.isSecret { return "(hidden)" }
        switch value {
        case .string(let text) where setting.isAddress && !text.hasPrefix("file:"): return WebAddress(text: text).withoutSecrets
        case .string(let text): return text
        case .bool(let flag): return "\(flag)"
        case .int(let number): return "\(number)"
        case .double(let number): return "\(number)"
        case .stringArray(let list) where setting == .smsCountries: return list.joined(separator: ",")
        case .stringArray(let list): return list.isEmpty ? "(none)" : "(\(list.count) hidden)"
        default: return "(not shown)"
        }
    }
}

struct SettingRow: Hashable, Codable {
    let name: String
    let value: String
    let source: String

    static func lines(_ rows: [SettingRow]) -> [String] {
        let (first, second) = (rows.map(\.name.count).max() ?? 0, rows.map(\.value.count).max() ?? 0)
        return rows.map { row in
            row.name.padding(toLength: first + 2, withPad: " ", startingAt: 0)
                + row.value.padding(toLength: second + 2, withPad: " ", startingAt: 0) + row.source
        }
    }
}

extension Setting {
    fileprivate var isAddress: Bool { [.sms, .publicUrl, .otlpTraces, .mapTiles, .cluster].contains(self) }

    fileprivate var standard: String {
        switch self {
        case .listen: ListenAddress.standard.description
        case .trustedProxies: "0"
        case .smsPerDay: "\(MessageLimits().perDay)"
        case .logMapGib: "\(LogLimits.logMapBytesMax >> 30)"
        case .keysMapGib, .modelMapGib: "\(LogLimits.otherMapBytesMax >> 30)"
        case .logFormat: LogFormat.text.rawValue
        case .logLevel: Logger.Level.info.rawValue
        case .traceRatio: "1.0"
        case .audit: AuditSchedule.standard.description
        default: type == .bool ? "false" : "(none)"
        }
    }
}
