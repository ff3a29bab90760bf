internal import EventLog
internal import Loyalty

// The stored and the shown form of properties whose types the generated codecs know by name: Role, SessionEnding and PaperName.

extension Role {
    /// The owner's role is refused, because no event about staff gives it.
    func wireField() throws(CodecError) -> UInt32 {
        guard self < .owner else { throw CodecError(.fieldOutOfRange, "role is owner") }
        return UInt32(rawValue)
    }

    init(wireField: UInt32) throws(CodecError) {
        guard let role = UInt8(exactly: wireField).flatMap({ Role(rawValue: $0) }), role < .owner else {
            throw CodecError(.fieldOutOfRange, "role is \(wireField)")
        }
        self = role
    }
}

extension SessionEnding {
    var name: String {
        switch self {
        case .signedOut: "signedOut"
        case .tokenReused: "tokenReused"
        }
    }

    func wireField() throws(CodecError) -> WireSessionEnded.Ending {
        switch self {
        case .signedOut: .signedOut
        case .tokenReused: .tokenReused
        }
    }

    init(wireField: WireSessionEnded.Ending) throws(CodecError) {
        switch wireField {
        case .signedOut: self = .signedOut
        case .tokenReused: self = .tokenReused
        case .unspecified, .UNRECOGNIZED: throw CodecError(.fieldOutOfRange, "ending is \(wireField.rawValue), not 1 or 2")
        }
    }
}

extension PaperName {
    var tags: [Tag] { [Tag(.print, print.value), Tag(.paper, id.value)] }

    var fields: [FactField] { [FactField("paper", .id(id)), FactField("print", .id(print))] }

    /// The number is the paper card's id minus its print's.
    init(of event: some StoredEvent & ~Escapable) throws(CodecError) {
        let (print, paper): (PrintID, PaperID) = (try event.id(.print), try event.id(.paper))
        self.init(print: print, number: try WireRange.check(Int(clamping: paper.value &- print.value), 0...499, "number"))
    }
}
