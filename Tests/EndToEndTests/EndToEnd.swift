import Testing

/// The programs as their users run them: child processes, sockets, signals, files.
///
/// The tests run one after another, because each loads the machine. They measure no times.
@Suite(.serialized) enum EndToEnd {}
