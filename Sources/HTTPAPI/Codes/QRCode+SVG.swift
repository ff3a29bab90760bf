extension QRCode {
    /// Modules of light around the code, as the standard asks.
    private static let quietZone = 4

    /// A picture of its own, one unit a module: a white ground and one dark path, whose parts are the runs of each row.
    var svg: String {
        let side = width + 2 * Self.quietZone
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\" shape-rendering=\"crispEdges\">"
            + "<path fill=\"#fff\" d=\"M0 0h\(side)v\(side)H0z\"/><path d=\"\((0..<width).map(path).joined())\"/></svg>"
    }

    private func path(ofRow row: Int) -> String {
        var path = ""
        var column = 0
        while column < width {
            let start = column
            while column < width, isDark(row: row, column: column) { column += 1 }
            if column > start {
                path += "M\(start + Self.quietZone) \(row + Self.quietZone)h\(column - start)v1H\(start + Self.quietZone)z"
            }
            column += 1
        }
        return path
    }
}
