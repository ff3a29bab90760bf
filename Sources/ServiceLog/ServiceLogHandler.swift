internal import Foundation
public import Logging

/// Writes the service's log to standard error. Each line is one write, so that threads' lines do not mix. A line that cannot be written is
/// lost, because the log must not stop the service.
public struct ServiceLogHandler: LogHandler {
    public var metadata: Logger.Metadata = [:]
    public var logLevel: Logger.Level
    public var metadataProvider: Logger.MetadataProvider?

    /// Hummingbird's metadata key of a request's id, and ours.
    private static let requestKeys = (theirs: "hb.request.id", ours: "requestId")

    private let label: String
    private let format: LogFormat
    private let write: @Sendable ([UInt8]) -> Void

    /// - Parameter write: receives each line with its end, on any thread.
    public init(
        label: String, format: LogFormat, level: Logger.Level, write: @escaping @Sendable ([UInt8]) -> Void = Self.toStandardError
    ) {
        (self.label, self.format, logLevel, self.write) = (label, format, level, write)
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let given = event.metadata { all.merge(given) { $1 } }
        let name = all.removeValue(forKey: Logger.eventKey).map { "\($0)" } ?? ServiceEvent.library.rawValue
        var fields: [(name: String, value: String)] = []
        if let id = all.removeValue(forKey: Self.requestKeys.theirs) { fields.append((Self.requestKeys.ours, "\(id)")) }
        if name == ServiceEvent.library.rawValue { fields.append(("logger", label)) }
        fields += all.sorted { $0.key < $1.key }.map { ($0.key, "\($0.value)") }
        if let error = event.error { fields.append(("error", "\(error)")) }
        let line = LogLine(time: Self.now, level: event.level.rawValue, event: name, message: "\(event.message)", fields: fields)
        write(line.bytes(format))
    }

    /// The last line of a process that ends with an error; as JSON, the event `server.failed`.
    public static func lastLine(_ text: String, exitCode: Int32, format: LogFormat) -> [UInt8] {
        guard format == .json else { return Array((text + "\n").utf8) }
        let line = LogLine(
            time: now, level: Logger.Level.critical.rawValue, event: ServiceEvent.serverFailed.rawValue, message: text,
            fields: [("exitCode", "\(exitCode)")])
        return line.bytes(.json)
    }

    /// One call if the system allows it.
    @Sendable public static func toStandardError(_ line: [UInt8]) { try? FileHandle.standardError.write(contentsOf: Data(line)) }

    private static var now: String {
        Date.now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    }
}
