/// Names, each kept once, by their number in the order of first sight.
///
/// Two names are one only if their bytes are: what is told apart here must be what keyed hashes tell apart.
struct NameTable {
    /// A text that is equal to another only byte by byte; two ways to write `é` are two texts.
    private struct ExactText: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

        func hash(into hasher: inout Hasher) {
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    private(set) var names: [String] = []
    private var numbers: [ExactText: Int32] = [:]

    var count: Int { names.count }

    subscript(number: Int32) -> String { names[Int(number)] }

    /// The number of a name, given to it now if it is new.
    mutating func number(of name: String) -> Int32 {
        if let known = numbers[ExactText(text: name)] { return known }
        let number = Int32(names.count)
        names.append(name)
        numbers[ExactText(text: name)] = number
        return number
    }
}
