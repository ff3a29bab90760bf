import Faults

/// A command and its `name=value` arguments.
struct Arguments {
    let command: String
    private var values: [String: String] = [:]

    init(_ words: some Collection<String>) throws {
        guard let command = words.first else { throw FaultError("which command?") }
        self.command = command
        for word in words.dropFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw FaultError("\(word) is not name=value") }
            values[parts[0]] = parts[1]
        }
    }

    func text(_ name: String) throws -> String {
        guard let value = values[name] else { throw FaultError("\(name)= is missing") }
        return value
    }

    func int(_ name: String, default standard: Int? = nil) throws -> Int {
        if values[name] == nil, let standard { return standard }
        guard let value = Int(try text(name)) else { throw FaultError("\(name) is no number") }
        return value
    }

    func seed(_ name: String) throws -> UInt64 {
        guard let value = UInt64(try text(name)) else { throw FaultError("\(name) is no seed") }
        return value
    }

    func bug() throws -> SeededBug {
        guard let bug = SeededBug(rawValue: values["bug"] ?? "none") else { throw FaultError("no such bug") }
        return bug
    }

    func names() throws -> NameModel {
        guard let names = NameModel(rawValue: values["names"] ?? "journalled") else { throw FaultError("no such model of names") }
        return names
    }
}
