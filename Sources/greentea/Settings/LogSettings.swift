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
        guard let format = LogFormat(rawValue: text) else { throw ValidationError("'\(text)' is no form of the log: \(formatWords).") }
        return format
    }

    static func level(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else { throw ValidationError("'\(text)' is no level: \(levelWords).") }
        return level
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
