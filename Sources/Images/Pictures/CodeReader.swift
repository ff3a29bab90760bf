internal import CZBar

/// Only for the child process.
@safe struct CodeReader {
    private var functions = greentea_zbar()

    /// Nil if libzbar is not installed.
    init?() { guard unsafe greentea_zbar_open(&functions) != 0 else { return nil } }

    /// Nil if there is no code, or if it is too long or not UTF-8.
    ///
    /// Libzbar finds edges of a certain thickness, so a large picture is tried again at a smaller size.
    func content(of picture: Picture) throws(ImageError) -> String? {
        for side in ImageLimits.scannedSidesPixels {
            guard let fitted = picture.fitted(longerSide: side), let grey = fitted.grey else {
                throw .failed("no memory to look for a code")
            }
            if let content = content(of: grey, width: fitted.width, height: fitted.height) { return content }
        }
        return nil
    }

    private func content(of grey: [UInt8], width: Int, height: Int) -> String? {
        precondition(grey.count == width * height)
        var content = [UInt8](repeating: 0, count: ImageLimits.codeBytesMax)
        // SAFETY: libzbar reads `width * height` bytes and writes no more than the array holds.
        let count = unsafe withUnsafePointer(to: functions) { functions in
            unsafe greentea_zbar_read(functions, grey, UInt32(width), UInt32(height), &content, UInt(content.count))
        }
        return count > 0 ? String(validating: content[..<count], as: UTF8.self) : nil
    }
}
