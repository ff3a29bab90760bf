/// What a control of writing direction does (UAX 9, bidirectional algorithm, 2.1 to 2.6).
enum TextDirection: Hashable {
    /// Marks one place, and holds for nothing behind it.
    case mark
    /// Holds up to the end of the line, or to ``closesEmbedding``.
    case embedding
    /// Holds up to the end of the line, or to ``closesIsolate``.
    case isolate
    case closesEmbedding
    case closesIsolate
}

extension Unicode.Scalar {
    /// `nil` for everything that is no control of writing direction.
    var direction: TextDirection? {
        switch value {
        case 0x061C, 0x200E, 0x200F: .mark
        case 0x202A, 0x202B, 0x202D, 0x202E: .embedding
        case 0x202C: .closesEmbedding
        case 0x2066, 0x2067, 0x2068: .isolate
        case 0x2069: .closesIsolate
        default: nil
        }
    }
}

extension String {
    /// Whether every embedding and isolate is closed on its own line, the last opened first, and nothing is closed that is not open: so
    /// that a text changes the order of nothing that is shown around it.
    var hasBalancedDirections: Bool {
        var open: [TextDirection] = []
        for scalar in unicodeScalars {
            if scalar.breaksLines, scalar.value != 0x09, !open.isEmpty { return false }
            switch scalar.direction {
            case nil, .mark: break
            case .embedding: open.append(.embedding)
            case .isolate: open.append(.isolate)
            case .closesEmbedding: if open.popLast() != .embedding { return false }
            case .closesIsolate: if open.popLast() != .isolate { return false }
            }
        }
        return open.isEmpty
    }
}
