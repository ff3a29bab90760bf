extension Picture {
    /// The picture of a file as it is kept: upright, of moderate size, and nothing but pixels.
    ///
    /// - Throws: ``ImageError/unsupported`` for what does not decode; ``ImageError/failed(_:)`` when memory ran out.
    static func kept(_ bytes: [UInt8], _ header: ImageHeader) throws(ImageError) -> Picture {
        guard let decoded = Picture(bytes, as: header) else { throw .unsupported }
        guard let fitted = decoded.fitted(longerSide: ImageLimits.keptSidePixelsMax), let upright = fitted.upright(header.orientation)
        else { throw .failed("no memory for a picture of \(header.width) by \(header.height)") }
        return upright
    }

    /// The picture with no side longer than this.
    private func fitted(longerSide: Int) -> Picture? {
        let longer = max(width, height)
        guard longer > longerSide else { return self }
        return scaled(width: max(1, width * longerSide / longer), height: max(1, height * longerSide / longer))
    }

    /// The picture with this width; itself where it is no wider.
    func thumbnail(width: Int) -> Picture? {
        guard width < self.width else { return self }
        return scaled(width: width, height: max(1, height * width / self.width))
    }
}
