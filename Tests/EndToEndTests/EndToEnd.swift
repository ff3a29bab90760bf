import Testing

/// The programs as their users run them: child processes, sockets, signals, files.
///
/// The tests run one after another, because each of them loads the machine. They do not measure durations.
@Suite(.serialized) enum EndToEnd {}
