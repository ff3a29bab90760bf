import EventLog

/// The log's `Tag`, for files that also import Testing, which has a `Tag` of its own.
typealias EventTag = Tag
