internal import BackgroundWork
internal import CGD
internal import Foundation

/// The child process that decodes an untrusted file: it reads standard input, writes one ``PictureAnswer``, and ends.
///
/// Before the first byte, it limits its memory, processor time, files and descriptors.
public enum PictureChild {
    /// `EX_UNAVAILABLE` of sysexits.h.
    static let missingLibraryStatus: Int32 = 69

    /// Does one job and ends the process.
    public static func run(_ job: PictureJob) -> Never {
        // Opened now: `confine()` permits no further descriptors.
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
            // `failed`: memory ran out or encoding failed, as it would again.
            case .tooLarge, .takenDown, .busy, .failed: refuse(.tooLarge)
            }
        }
    }

    /// Libraries' error handlers call this, because they must not return.
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

    /// Each limit applies even if another cannot be set.
    private static func confine() {
        _ = greentea_die_with_parent()
        // If memory runs out, the kernel kills this process and not the service.
        try? FileHandle(forWritingAtPath: "/proc/self/oom_score_adj")?.write(contentsOf: Data("1000".utf8))
        limit(RLIMIT_CORE, 0)
        limit(RLIMIT_FSIZE, 0)
        limit(RLIMIT_CPU, ImageLimits.childProcessorSeconds)
        limit(RLIMIT_AS, addressSpace() + ImageLimits.childMemoryBytes)
        // The descriptor for the address space's size was opened before.
        limit(RLIMIT_NOFILE, 0)
        LowPriority.beginIdle()
    }

    private static func limit(_ resource: __rlimit_resource, _ value: UInt64) {
        var limit = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        _ = unsafe setrlimit(__rlimit_resource_t(resource.rawValue), &limit)
    }

    /// Part of the limit, because it differs between builds.
    private static func addressSpace() -> UInt64 {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii)) ?? ""
        guard let pages = text.split(separator: " ").first.flatMap({ UInt64($0) }) else { return 1 << 30 }
        return pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Nil if reading fails or the file is too large.
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
        // Exit handlers could wait for ever for a failed library's locks.
        _exit(0)
    }
}
