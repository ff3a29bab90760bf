package import EventLog

/// The folders of a recorded child's log, index and derived data. All parts of the tests open the log through this type.
package struct LogFolders: Sendable {
    /// The recorded folder.
    package let folder: String

    /// Derives the paths in a recorded folder.
    package init(in folder: String) { self.folder = folder }

    /// The log's own folder.
    package var log: String { folder + "/log" }
    /// The index's own folder.
    package var index: String { folder + "/index" }
    /// The folder of derived data.
    package var rows: String { folder + "/rows" }

    /// Opens the log with a small map, so that hundreds of logs can be opened one after the other.
    ///
    /// - Throws: the error of opening the log.
    package func open(_ access: EventLog.Access = .readWrite, flushEvents: Int = 64) throws(EventLogError) -> EventLog {
        var options = EventLog.Options()
        options.indexFlushEvents = flushEvents
        options.indexStallEvents = flushEvents * 4
        options.map.bytes = 1 << 30
        return try EventLog(
            directory: log, index: index, schema: .faults, access: access, created: Timestamp(microseconds: 1), options: options)
    }
}
