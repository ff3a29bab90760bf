import ArgumentParser
import Logging
import ServiceLog
import Synchronization

/// The format and minimum level of the service's log.
struct LogSettings {
    let format: LogFormat
    let level: Logger.Level

    private static let formatWords = "it must be text or json"
    private static let levelWords = "it must be trace, debug, info, notice, warning, error or critical"

    init(_ settings: SettingsInForce) throws(SettingFault) {
        format = try settings.value(.logFormat, Self.formatWords) { LogFormat(rawValue: $0) } ?? .text
        level = try settings.value(.logLevel, Self.levelWords) { Logger.Level(rawValue: $0) } ?? .info
    }

    static func format(_ text: String) throws -> LogFormat {
        try parsed(text, or: "is no form of the log: \(formatWords).") { LogFormat(rawValue: $0) }
    }

    static func level(_ text: String) throws -> Logger.Level {
        try parsed(text, or: "is no level: \(levelWords).") { Logger.Level(rawValue: $0) }
    }

    /// For all loggers in the process, also of libraries. Call at most once.
    func putInForce() {
        Self.formatInForce.withLock { $0 = format }
        LoggingSystem.bootstrap { [format, level] label in ServiceLogHandler(label: label, format: format, level: level) }
    }

    private static let formatInForce = Mutex(LogFormat.text)

    /// The reason why the process ends.
    static func writeLast(_ text: String, exitCode: Int32) {
        ServiceLogHandler.toStandardError(ServiceLogHandler.lastLine(text, exitCode: exitCode, format: formatInForce.withLock { $0 }))
    }

    /// The format for ``writeLast(_:exitCode:)``, because a failure may come before all settings are known.
    static func take(_ format: LogFormat?) { if let format { formatInForce.withLock { $0 = format } } }
}

/// A flag's value, or an error that quotes the text.
func parsed<Value>(_ text: String, or fault: String, _ read: (String) -> Value?) throws(ValidationError) -> Value {
    guard let value = read(text) else { throw ValidationError("'\(text)' \(fault)") }
    return value
}
