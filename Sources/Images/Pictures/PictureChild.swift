internal import BackgroundWork
internal import CGD
internal import Foundation

/// The child process that handles a file from an untrusted sender. It reads the file from its standard input, writes one ``PictureAnswer``
/// to its standard output, and ends. A fault in a codec affects only this process.
///
/// Before it reads the first byte, it limits its address space, processor time, files, descriptors and core dumps, so that it can do no
/// harm. The service, its parent process, gives it only a socket, `/dev/null` and no environment. The service kills it after a time limit,
/// and reads no more bytes of its answer than a picture may have.
public enum PictureChild {
    /// The exit status if a library that the job needs is not installed (`EX_UNAVAILABLE` of sysexits.h).
    static let missingLibraryStatus: Int32 = 69

    /// Does one job and ends the process.
    ///
    /// - Parameter job: the work to do.
    public static func run(_ job: PictureJob) -> Never {
        // Libzbar, which reads QR codes, is opened before the first byte is read, because the limits of `confine()` permit no further
        // descriptors.
        let reader = job == .readCode ? CodeReader() : nil
        if job == .readCode, reader == nil { _exit(missingLibraryStatus) }
        confine()
        guard let file = received() else { refuse(.tooLarge) }
        do throws(ImageError) {
            answer(
                try ShortPauses.during { () throws(ImageError) in
                    switch job {
                    case .keep: try kept(file)
                    case .thumbnail(let width): try thumbnail(of: file, width: width)
                    case .readCode: try reader.map { reader throws(ImageError) in try code(in: file, reader) } ?? PictureAnswer(.hasNoCode)
                    }
                })
        } catch {
            switch error {
            case .unsupported: refuse(.unsupported)
            // The case `failed` means that the size was accepted, but memory ran out or encoding failed. Another attempt would fail in the
            // same way.
            case .tooLarge, .takenDown, .busy, .failed: refuse(.tooLarge)
            }
        }
    }

    /// Ends the process with a rejection. Error handlers of libraries call it, because they must not return into the library.
    static func refuse(_ verdict: PictureAnswer.Verdict) -> Never { answer(PictureAnswer(verdict)) }

    private static func kept(_ file: [UInt8]) throws(ImageError) -> PictureAnswer {
        let (picture, format) = try Picture.kept(file)
        return try PictureAnswer(picture, as: format)
    }

    private static func code(in file: [UInt8], _ reader: CodeReader) throws(ImageError) -> PictureAnswer {
        let (picture, _) = try Picture.decoded(file)
        return try reader.content(of: picture).map { PictureAnswer(content: $0) } ?? PictureAnswer(.hasNoCode)
    }

    private static func thumbnail(of file: [UInt8], width: Int) throws(ImageError) -> PictureAnswer {
        let (picture, header) = try Picture.decoded(file)
        guard width < header.width else { return PictureAnswer(.isNoWider) }
        guard let small = picture.thumbnail(width: width) else { throw .failed("no memory for a thumbnail") }
        return try PictureAnswer(small, as: header.format)
    }

    /// Drops all privileges that decoding does not need. If one limit cannot be set, the other limits and the parent's time limit still
    /// apply.
    private static func confine() {
        _ = greentea_die_with_parent()
        // After this, if the machine runs out of memory, the kernel kills this process and not the service.
        try? FileHandle(forWritingAtPath: "/proc/self/oom_score_adj")?.write(contentsOf: Data("1000".utf8))
        limit(RLIMIT_CORE, 0)
        limit(RLIMIT_FSIZE, 0)
        limit(RLIMIT_CPU, ImageLimits.childProcessorSeconds)
        limit(RLIMIT_AS, addressSpace() + ImageLimits.childMemoryBytes)
        // No further descriptors are permitted from here on. The one for reading the size of the address space was opened before.
        limit(RLIMIT_NOFILE, 0)
        // The parent lowers this process's priority after starting it, but perhaps has not done so yet.
        LowPriority.beginIdle()
    }

    private static func limit(_ resource: __rlimit_resource, _ value: UInt64) {
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }

    /// The size of the address space of the program and its libraries before the job. The limit on the address space includes this size,
    /// because it differs between builds of the program, while the memory for a picture does not.
    private static func addressSpace() -> UInt64 {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
        guard let pages = text.split(separator: " ").first.flatMap({ UInt64($0) }) else { return 1 << 30 }
        return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Reads standard input to its end; nil if reading fails, or if there are more bytes than the maximum size of a file.
    private static func received() -> [UInt8]? {
        var (file, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while true {
            let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? file : nil }
            guard file.count + count <= max(ImageLimits.fileBytesMax, ImageLimits.keptBytesMax) else { return nil }
            file += buffer[..<count]
        }
    }

    private static func answer(_ answer: PictureAnswer) -> Never {
        let bytes = answer.bytes
        var written = 0
        while written < bytes.count {
            // SAFETY: write reads from the array only during the call.
            let count = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress! + written, bytes.count - written) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { _exit(1) }
            written += count
        }
        // `_exit` runs no exit handlers. They could wait for ever for locks of a library that has failed.
        _exit(0)
    }
}
