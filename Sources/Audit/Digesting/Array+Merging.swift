extension Array {
    /// Makes one of neighbours that belong together, where they stand.
    ///
    /// - Parameters:
    ///   - belong: whether an element goes into the one before.
    ///   - add: puts it there.
    @inline(__always)
    mutating func merge(where belong: (Element, Element) -> Bool, by add: (inout Element, Element) -> Void) {
        var kept = 0
        for place in indices.dropFirst() {
            if belong(self[kept], self[place]) {
                add(&self[kept], self[place])
            } else {
                kept += 1
                self[kept] = self[place]
            }
        }
        if kept + 1 < count { removeLast(count - kept - 1) }
    }
}
