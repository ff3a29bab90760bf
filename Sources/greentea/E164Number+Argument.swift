import ArgumentParser
import CommandService

extension E164Number: @retroactive ExpressibleByArgument {
    /// - Returns: nil for anything but E.164.
    public init?(argument: String) { self.init(argument) }
}
