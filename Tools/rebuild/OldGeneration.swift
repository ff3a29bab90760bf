import ArgumentParser

/// What becomes of the generation that a rebuild replaces.
enum OldGeneration: String, EnumerableFlag {
    case keep
    case discardOld

    static func help(for value: OldGeneration) -> ArgumentHelp? {
        switch value {
        case .keep: "Keep the old generation, for --rollback (the default)."
        case .discardOld: "Remove the old generation as soon as nobody reads it."
        }
    }
}
