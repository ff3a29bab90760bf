internal import LoyaltyCodec
internal import ReadModels

extension TableDiff {
    /// The counts, then a line for each row that was kept; none where nothing changed.
    public var lines: [String] {
        if isEmpty { return [] }
        let kept = changes.map { "  " + $0.text(in: table) }
        let rest = added + removed + changed - changes.count
        return ["\(model) \(table.name)  added \(added)  removed \(removed)  changed \(changed)"] + kept
            + (rest > 0 ? ["  … and \(rest) more"] : [])
    }

    /// The same as JSON objects.
    public var jsonLines: [String] {
        if isEmpty { return [] }
        let place = [("model", JSONText.string(model)), ("table", JSONText.string(table.name))]
        let counts = [("added", "\(added)"), ("removed", "\(removed)"), ("changed", "\(changed)")]
        return [JSONText.object(place + counts)]
            + changes.map { change in
                JSONText.object(
                    place + [
                        ("key", JSONText.string(table.text(key: change.key.span))), ("before", text(change.before)),
                        ("after", text(change.after)),
                    ])
            }
    }

    private func text(_ value: [UInt8]?) -> String {
        guard let value else { return "null" }
        return JSONText.string(table.text(value: value.span))
    }
}
