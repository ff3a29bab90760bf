import Testing

/// The programs as their users have them: child processes, sockets, signals, files.
///
/// One after the other, because each test is a load of its own and measures nothing but truth.
@Suite(.serialized) enum EndToEnd {}
