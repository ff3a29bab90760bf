internal import CZBar

/// Reads QR codes with libzbar. Only the child process that decodes pictures may use it.
@safe struct CodeReader {
    private var functions = greentea_zbar()

    /// Opens libzbar.
    ///
    /// - Returns: nil if libzbar is not installed.
    init?() {
        guard unsafe greentea_zbar_open(&functions) != 0 else { return nil }
    }

    /// The content of a QR code in a picture; nil if no code is found, or if its content is too long or is not UTF-8.
    ///
    /// Libzbar finds codes by edges of a certain thickness. So if it finds no code in a large picture, the picture is searched again at a
    /// smaller size, which also blurs noise.
    ///
    /// - Throws: ``ImageError/failed(_:)`` if memory ran out.
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
        // SAFETY: libzbar reads `width * height` bytes and writes no more than the array holds, both only during the call.
        let count = unsafe withUnsafePointer(to: functions) { functions in
            unsafe greentea_zbar_read(functions, grey, UInt32(width), UInt32(height), &content, UInt(content.count))
        }
        return count > 0 ? String(validating: content[..<count], as: UTF8.self) : nil
    }
}
