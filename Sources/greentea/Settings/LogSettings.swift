import ArgumentParser
import Logging
import ServiceLog
import Synchronization

/// The format of the lines in the service's log, and the minimum level that is logged.
struct LogSettings {
    let format: LogFormat
    let level: Logger.Level

    private static let formatWords = "it must be text or json"
    private static let levelWords = "it must be trace, debug, info, notice, warning, error or critical"

    init(_ settings: SettingsInForce) throws(SettingFault) {
        let text = (format: settings.text(.logFormat), level: settings.text(.logLevel))
        guard let format = text.format.map(LogFormat.init(rawValue:)) ?? .text else { throw SettingFault(.logFormat, Self.formatWords) }
        guard let level = text.level.map(Logger.Level.init(rawValue:)) ?? .info else { throw SettingFault(.logLevel, Self.levelWords) }
        (self.format, self.level) = (format, level)
    }

    static func format(_ text: String) throws -> LogFormat {
        guard let format = LogFormat(rawValue: text) else { throw ValidationError("'\(text)' is no form of the log: \(formatWords).") }
        return format
    }

    static func level(_ text: String) throws -> Logger.Level {
        guard let level = Logger.Level(rawValue: text) else { throw ValidationError("'\(text)' is no level: \(levelWords).") }
        return level
    }

    /// Sets the format and level of all loggers in this process, including the loggers of libraries. Call at most once in a process.
    func putInForce() {
        Self.formatInForce.withLock { $0 = format }
        LoggingSystem.bootstrap { [format, level] label in ServiceLogHandler(label: label, format: format, level: level) }
    }

    private static let formatInForce = Mutex(LogFormat.text)

    /// Writes the reason why the process ends as the last line of its standard error.
    static func writeLast(_ text: String, exitCode: Int32) {
        ServiceLogHandler.toStandardError(
            ServiceLogHandler.lastLine(text, exitCode: exitCode, format: formatInForce.withLock { $0 }))
    }

    /// Sets the format for ``writeLast(_:exitCode:)`` as soon as a flag gives a format, because a failure may come before all settings are
    /// known.
    static func take(_ format: LogFormat?) { if let format { formatInForce.withLock { $0 = format } } }
}
