/// Placeholder.
enum SharedLogs {}
