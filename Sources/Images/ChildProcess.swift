internal import BackgroundWork
internal import CGD
internal import Foundation

/// One run of an untrusted child process, which gets bytes, returns bytes, and is killed at a deadline.
///
/// The kernel kills the child when the thread that started it ends, so this thread MUST outlive the child.
struct ChildProcess: ~Copyable {
    enum Ending: Equatable {
        case exited(Int32)
        case signalled(Int32)
        case exhausted
        /// Killed at the deadline, and not ``exhausted``.
        case late
        case flooding
    }

    private let pid: pid_t
    private let socket: Int32
    private let deadline: ContinuousClock.Instant

    /// Runs a program until it ends or is killed, and blocks.
    static func run(
        _ path: String, _ arguments: [String], milliseconds: Int, sending input: [UInt8], bytesMax: Int
    ) throws(ImageError) -> (output: [UInt8], ending: Ending, usage: rusage) {
        let child = try ChildProcess(path, arguments, milliseconds)
        let (output, cause) = child.exchange(input, bytesMax)
        let (ending, usage) = child.end(cause)
        return (output, ending, usage)
    }

    private init(_ path: String, _ arguments: [String], _ milliseconds: Int) throws(ImageError) {
        var ends: (Int32, Int32) = (-1, -1)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        // SAFETY: a pair of Int32 has the same layout as an array of two.
        let made = unsafe withUnsafeMutablePointer(to: &ends) { ends in
            unsafe ends.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe socketpair(AF_UNIX, kind, 0, $0) }
        }
        guard made == 0 else { throw .failed("no socket for a child process: errno \(errno)") }
        let (result, pid) = Self.spawn(path, arguments, on: ends.1)
        close(ends.1)
        guard result == 0 else {
            close(ends.0)
            throw .failed("\(path) cannot be started: errno \(result)")
        }
        // For a small picture, the child's own lowering comes too late.
        LowPriority.setIdle(pid)
        (self.pid, socket, deadline) = (pid, ends.0, ContinuousClock.now + .milliseconds(milliseconds))
    }

    private static func spawn(_ path: String, _ arguments: [String], on end: Int32) -> (result: Int32, pid: pid_t) {
        // SAFETY: posix_spawn reads these only during the call; those that own memory are freed afterwards.
        var (actions, attributes, all, none) = unsafe (
            posix_spawn_file_actions_t(), posix_spawnattr_t(), sigset_t(), sigset_t()
        )
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, end, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, end, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe sigfillset(&all)
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let result = unsafe posix_spawn(&pid, path, &actions, &attributes, &words, &environment)
        return (result, pid)
    }

    private borrowing func exchange(_ input: [UInt8], _ bytesMax: Int) -> (output: [UInt8], cause: Ending?) {
        var (sent, output, buffer) = (0, [UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        if input.isEmpty { shutdown(socket, Int32(SHUT_WR)) }
        while true {
            let isSending = sent < input.count
            var wish = pollfd(fd: socket, events: Int16(isSending ? POLLIN | POLLOUT : POLLIN), revents: 0)
            guard let wait = millisecondsLeft else { return (output, .late) }
            guard unsafe poll(&wish, 1, wait) > 0 else { continue }
            if isSending, Int32(wish.revents) & Int32(POLLOUT) != 0 {
                sent = send(input, from: sent)
                if sent == input.count { shutdown(socket, Int32(SHUT_WR)) }
            }
            guard Int32(wish.revents) & Int32(POLLIN | POLLHUP | POLLERR) != 0 else { continue }
            let count = unsafe recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            guard count > 0 else { return (output, nil) }
            guard output.count + count <= bytesMax else { return (output, .flooding) }
            output += buffer[..<count]
        }
    }

    /// Returns the number of bytes sent so far, or of all if the child reads no more.
    private borrowing func send(_ input: [UInt8], from start: Int) -> Int {
        // SAFETY: send reads the array only during the call. MSG_NOSIGNAL prevents SIGPIPE if the child has ended.
        let count = unsafe input.withUnsafeBytes { buffer in
            unsafe Glibc.send(socket, buffer.baseAddress! + start, input.count - start, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        }
        if count < 0 { return errno == EAGAIN || errno == EINTR ? start : input.count }
        return start + count
    }

    private consuming func end(_ cause: Ending?) -> (Ending, rusage) {
        close(socket)
        var (status, usage, cause) = (Int32(0), rusage(), cause)
        while cause == nil {
            let gone = unsafe wait4(pid, &status, WNOHANG, &usage)
            if gone != 0 { return (gone == pid ? Self.ending(status, usage) : .exited(-1), usage) }
            if millisecondsLeft == nil { cause = .late } else { usleep(500) }
        }
        // The kernel does not reuse an uncollected child's id.
        kill(pid, SIGKILL)
        while unsafe wait4(pid, &status, 0, &usage) < 0, errno == EINTR {}
        return (Self.ending(cause ?? .late, milliseconds: Self.milliseconds(usage)), usage)
    }

    static func ending(_ cause: Ending, milliseconds: Int) -> Ending {
        cause == .late && milliseconds >= ImageLimits.enoughProcessorMilliseconds ? .exhausted : cause
    }

    private static func milliseconds(_ usage: rusage) -> Int {
        (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000 + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000
    }

    /// The ending of a child that this process did not kill.
    ///
    /// SIGKILL means too much processor time or lack of memory. Half of the limit counts as reached, because measured time may be lower.
    private static func ending(_ status: Int32, _ usage: rusage) -> Ending {
        let signal = status & 0x7F
        if signal == 0 { return .exited(status >> 8 & 0xFF) }
        let isExhausted = UInt64(milliseconds(usage) / 1_000) >= ImageLimits.childProcessorSeconds / 2
        return signal == SIGXCPU || signal == SIGKILL && isExhausted ? .exhausted : .signalled(signal)
    }

    private var millisecondsLeft: Int32? {
        let left = ContinuousClock.now.duration(to: deadline)
        // Rounded up, so that `poll` does not return too early.
        return left > .zero ? Int32(clamping: Int(left / .milliseconds(1)) + 1) : nil
    }
}
