/// The paper on which a sheet is printed.
public enum PaperSize: Sendable, CaseIterable {
    case a4, letter

    /// Regions that print on US Letter, by Unicode's CLDR (`paperSize`).
    private static let letterRegions: Set<String> = [
        "BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE",
    ]

    /// - Parameter region: two letters of ISO 3166; nil if unknown.
    public init(region: String?) { self = region.map(Self.letterRegions.contains) == true ? .letter : .a4 }

    /// In points.
    var size: (width: Double, height: Double) {
        switch self {
        case .a4: (595.28, 841.89)
        case .letter: (612, 792)
        }
    }

    /// Five rows on US Letter would leave no room for cut marks.
    var rows: Int { self == .a4 ? 5 : 4 }

    public var cardsPerPage: Int { rows * PaperSheet.columns }
}
