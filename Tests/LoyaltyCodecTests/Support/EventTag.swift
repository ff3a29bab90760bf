import EventLog

/// The log's tag, in files that import Testing, which has another `Tag`.
typealias EventTag = Tag
