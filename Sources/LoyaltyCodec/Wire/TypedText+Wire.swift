internal import Loyalty

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Typed words stand in two fields of a payload, of which at most one is there: a string in the clear, and sealed bytes.
extension TypedText {
    /// - Throws: `CodecError.Code.fieldOutOfRange` where both are there.
    init(clear: String, sealed: Data, _ field: StaticString) throws(CodecError) {
        guard clear.isEmpty || sealed.isEmpty else { throw CodecError(.fieldOutOfRange, "\(field) is there twice") }
        self = sealed.isEmpty ? .clear(clear) : .sealed(Sealed(Array(sealed)))
    }

    /// The field in the clear; empty where the words are sealed.
    var clearField: String {
        if case .clear(let text) = self { text } else { "" }
    }

    /// The sealed field; empty where the words are in the clear.
    func sealedField(_ field: StaticString) throws(CodecError) -> Data {
        if case .sealed(let sealed) = self { try WireBytes.data(sealed, field) } else { Data() }
    }
}
