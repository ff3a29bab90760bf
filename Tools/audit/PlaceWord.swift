import ArgumentParser

/// The words that stand for a folder in printed commands and in the runbook.
enum PlaceWord {
    private static let all: Set = ["BACKUPS", "BACKUP", "COPY", "COPIES", "DIR", "DATA", "OTHER", "LAST"]

    /// Refuses a command that was pasted without the user's own folders in it.
    ///
    /// - Throws: `ValidationError` if a path is one of these words. A folder of that name can be given as `./COPY`.
    static func refuse(_ paths: String?...) throws {
        guard let word = paths.compactMap(\.self).first(where: all.contains) else { return }
        throw ValidationError("\(word) stands for a folder of yours: put its path in the place of the word. Nothing was made.")
    }
}
