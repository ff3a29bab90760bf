/// The colours of all charts. Lines and steps can be told apart without seeing colours, too: lines by their names, steps by lightness.
enum ChartColors {
    static let ink = "#1f2a24"
    static let grid = "#d9dfdb"
    static let bar = "#3f8f5f"
    /// Of lines, in turn.
    static let lines = ["#2f7d4f", "#b5562a", "#33629c", "#8a5a9e", "#7a7a2e", "#3a8c95"]
    /// From few to many.
    static let steps = ["#e3f1e6", "#bfe0c7", "#8cc79b", "#54a56c", "#2b7d48", "#0f4f2a"]

    static func line(_ number: Int) -> String { lines[number % lines.count] }
}
