internal import Loyalty

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Byte fields of payloads.
enum WireBytes {
    static func data(_ secret: Secret) -> Data {
        Data(secret.value.bigEndianBytes)
    }

    static func secret(_ data: Data, _ field: StaticString) throws(CodecError) -> Secret {
        guard let value = UInt128(bigEndianBytes: data) else {
            throw CodecError(.fieldOutOfRange, "\(field) has \(data.count) bytes, not 16")
        }
        return Secret(value)
    }

    /// Sealed data has at least its version byte; none at all means that the field was never written.
    static func data(_ sealed: Sealed, _ field: StaticString) throws(CodecError) -> Data {
        guard !sealed.bytes.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is empty") }
        return Data(sealed.bytes)
    }

    static func sealed(_ data: Data, _ field: StaticString) throws(CodecError) -> Sealed {
        guard !data.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is missing") }
        return Sealed(Array(data))
    }

    /// A change of a sealed field: no bytes where it is cleared, since what is sealed always has some; nil where it stays.
    static func data(_ change: FieldChange<Sealed>, _ field: StaticString) throws(CodecError) -> Data? {
        switch change {
        case .unchanged: nil
        case .cleared: Data()
        case .set(let sealed): try data(sealed, field)
        }
    }

    static func change(_ isPresent: Bool, _ data: Data) -> FieldChange<Sealed> {
        guard isPresent else { return .unchanged }
        return data.isEmpty ? .cleared : .set(Sealed(Array(data)))
    }
}
