import BackgroundWork
import Foundation
import Patience
import Testing

@testable import Images

/// Child processes that misbehave, and the input, the environment and the priority that a child process has, as the child itself reports
/// them.
@Suite(.timeLimit(.minutes(15))) struct ChildProcessTests {
    /// In milliseconds. A child runs only while nothing else wants a processor.
    private static let longest = 600_000

    private static func run(
        _ path: String, _ arguments: [String] = [], milliseconds: Int = longest, sending input: [UInt8] = [], bytesMax: Int = 1 << 20
    ) throws -> (text: String, ending: ChildProcess.Ending) {
        let (output, ending, _) = try ChildProcess.run(path, arguments, milliseconds: milliseconds, sending: input, bytesMax: bytesMax)
        return (String(decoding: output, as: UTF8.self), ending)
    }

    private static func shell(_ script: String, milliseconds: Int = longest) throws -> (text: String, ending: ChildProcess.Ending) {
        try run("/bin/sh", ["-c", script], milliseconds: milliseconds)
    }

    @Test("A child receives exactly the input bytes, and its output is returned")
    func exchange() throws {
        let input = [UInt8](repeating: 0x61, count: 3_000_001)
        let (text, ending) = try Self.run("/bin/cat", sending: input, bytesMax: input.count)
        #expect(text.utf8.count == input.count && ending == .exited(0))
        #expect(try Self.shell("exit 7").ending == .exited(7))
    }

    @Test("A child inherits no environment variables and no descriptors")
    func inherited() throws {
        // A child process normally inherits this open descriptor. `ChildProcess` must close it in the child.
        let file = unsafe open("/dev/null", O_RDONLY)
        defer { close(file) }
        #expect(!ProcessInfo.processInfo.environment.isEmpty)
        #expect(try Self.run("/usr/bin/env").text.isEmpty)
        // The descriptors 0 to 2 are the standard streams. `ls` itself opens descriptor 3, to list the folder.
        #expect(try Self.run("/bin/ls", ["/proc/self/fd"]).text == "0\n1\n2\n3\n")
    }

    @Test("A child has the lowest priority before it gets its input")
    func priority() throws {
        // The priority is set before the input is sent. The shell waits for the input, and `exec` then turns it into a program that prints
        // its own state.
        let script = "read line; exec cat /proc/$$/stat"
        let (text, ending) = try Self.run("/bin/sh", ["-c", script], sending: Array("go\n".utf8))
        // The name, which is the second field, may contain spaces.
        let fields = try #require(text.split(separator: ")").last).split(whereSeparator: \.isWhitespace)
        #expect(ending == .exited(0) && fields.count > 38)
        #expect(fields[19 - 3] == "\(LowPriority.niceness)", "\(text)")
        #expect(fields[41 - 3] == "\(LowPriority.idlePolicy)", "the policy is SCHED_IDLE: \(text)")
    }

    @Test("A child that does not end is killed and reaped")
    func late() throws {
        let (text, ending) = try Self.shell("echo $$; exec sleep 100000", milliseconds: 300)
        #expect(ending == .late)
        if let pid = pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)) { #expect(kill(pid, 0) == -1 && errno == ESRCH) }
        // A child that closes its streams and keeps running is also killed.
        #expect(try Self.shell("exec >&- <&-; exec sleep 100000", milliseconds: 300).ending == .late)
    }

    @Test("A child that writes without end is killed, and reading stops at the limit")
    func flooding() throws {
        let (text, ending) = try Self.run("/usr/bin/yes", bytesMax: 100_000)
        #expect(ending == .flooding && text.utf8.count <= 100_000)
    }

    @Test("A child that reads no input harms only itself")
    func deaf() throws {
        let (text, ending) = try Self.run("/bin/true", sending: [UInt8](repeating: 0, count: ImageLimits.fileBytesMax))
        #expect(text.isEmpty && ending == .exited(0))
    }

    @Test("A program that cannot be started is reported")
    func missing() {
        #expect { try Self.run("/nonexistent/greentea") } throws: { "\($0)".contains("cannot be started") }
    }

    @Test(
        "A child that ends without a picture causes a refusal, and its limit is counted",
        arguments: [
            ("kill -SEGV $$", ImageError.unsupported, PictureActivity.Limit.crash), ("kill -XCPU $$", .tooLarge, .processor),
            ("kill -KILL $$", .busy, .memory), ("exec sleep 100000", .busy, .clock), ("exec yes", .unsupported, .output),
            ("echo nonsense", .unsupported, .output), ("true", .unsupported, .output), ("printf '\\004'", .tooLarge, .size),
        ])
    func refused(_ script: String, _ error: ImageError, _ limit: PictureActivity.Limit) async {
        let milliseconds = limit == .clock ? 300 : 60_000
        let shelf = Shelf(PictureProgram(path: "/bin/sh", arguments: ["-c", script], milliseconds: milliseconds))
        #expect(await shelf.refusal(of: SamplePicture.file(.png)) == error)
        #expect(shelf.store.activity.refused == [limit: 1] && shelf.store.activity.children == 1)
        #expect(!FileManager.default.fileExists(atPath: shelf.folder), "no picture is kept")
    }

    @Test("A decoder's answer is either a complete picture of a permitted size or invalid")
    func answers() throws {
        let whole = try PictureAnswer(SamplePicture.quarters(width: 20, height: 10), as: .png)
        #expect(PictureAnswer(whole.bytes) == whole && whole.width == 20 && whole.height == 10)
        // Each of these prefixes is incomplete: it lacks the verdict, a part of the size, or a part of the file.
        for count in 0..<17 { #expect(PictureAnswer(Array(whole.bytes[..<count])) == nil) }
        #expect(PictureAnswer([3])?.verdict == .unsupported && PictureAnswer([3, 0]) == nil && PictureAnswer([9]) == nil)
        for (place, byte) in [(1, 0x7F), (4, 0), (8, 0), (9, 0)] as [(Int, UInt8)] {
            var changed = whole.bytes
            changed[place] = byte
            #expect(PictureAnswer(changed) == nil, "\(place)")
        }
    }

    @Test("The decoder sets its limits before it reads a byte, and has one thread")
    func limits() throws {
        let process = Process()
        process.executableURL = URL(filePath: Shelf.program.path)
        process.arguments = [PictureProgram.subcommand]
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.runInTime()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        let wanted = ["Max cpu time": "3", "Max file size": "0", "Max core file size": "0", "Max open files": "0"]
        var found: [String: String] = [:]
        try eventually("all limits are set") {
            let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)) ?? ""
            for name in wanted.keys {
                guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { continue }
                let words = line.dropFirst(name.count).split(separator: " ")
                found[name] = words[0] == words[1] ? String(words[0]) : "soft"
            }
            return found == wanted
        }
        // The process must have only one thread. Another thread would need resources that the process has given up, such as a descriptor
        // for reading the load of the other cores, and would end the process.
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.processIdentifier)/task")
        #expect(threads == ["\(process.processIdentifier)"])
    }

    @Test("The decoder pauses while it computes")
    func pauses() throws {
        // The file is short and takes long to decode, so that the child rarely waits for its input. Each pause is a voluntary switch.
        let file = SamplePicture.file(.png, width: 4_800, height: 4_800)
        let (_, ending, usage) = try ChildProcess.run(
            Shelf.program.path, [PictureProgram.subcommand], milliseconds: Self.longest, sending: file, bytesMax: PictureAnswer.bytesMax)
        #expect(ending == .exited(0) && usage.ru_nvcsw >= 10, "\(file.count) bytes, \(usage.ru_nvcsw)")
    }

    @Test("A late child that had enough processor time counts as one that used up its limit")
    func lateAfterEnough() {
        let enough = ImageLimits.enoughProcessorMilliseconds
        #expect(ChildProcess.ending(.late, milliseconds: enough) == .exhausted)
        #expect(ChildProcess.ending(.late, milliseconds: enough - 1) == .late)
        #expect(ChildProcess.ending(.flooding, milliseconds: enough) == .flooding)
    }

    @Test("Using up the processor limit is distinguished from being killed for lack of memory")
    func exhausted() throws {
        #expect(try Self.shell("ulimit -t 2; while true; do true; done").ending == .exhausted)
        #expect(try Self.shell("kill -KILL $$").ending == .signalled(SIGKILL))
    }
}
