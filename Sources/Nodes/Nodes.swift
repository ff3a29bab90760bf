/// Placeholder.
enum Nodes {}
