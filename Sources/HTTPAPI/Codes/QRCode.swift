import CQREncode

/// A text as a QR code (ISO/IEC 18004), made by libqrencode. This is the only file that speaks to it.
struct QRCode {
    /// Modules of one side, without the quiet zone.
    let width: Int
    /// Row by row; `true` is dark.
    private let modules: [Bool]

    /// Error correction is M: a screen is clean, and a smaller code is read from further away.
    ///
    /// - Returns: `nil` for a text that no code can hold, above about 2,300 bytes, and for an empty one.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let size = Int32(exactly: bytes.count), size > 0 else { return nil }
        // SAFETY: libqrencode reads `size` bytes of the buffer during the call and keeps none of them. Debian builds it with
        // threads, so its tables are locked. The code that it returns is ours to free; it holds width × width bytes of data,
        // which are copied before.
        guard let code = unsafe bytes.withUnsafeBufferPointer({ unsafe QRcode_encodeData(size, $0.baseAddress, 0, QR_ECLEVEL_M) })
        else { return nil }
        defer { unsafe QRcode_free(code) }
        width = Int(unsafe code.pointee.width)
        let data = unsafe UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        modules = unsafe data.map { $0 & 1 == 1 }
    }

    func isDark(row: Int, column: Int) -> Bool {
        modules[row * width + column]
    }
}
