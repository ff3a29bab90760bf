internal import Loyalty

/// Ids of things that history does not have, such as a card that is opened only under changed rules: made from what history has, so
/// that every run makes the same, and scattered, so that no two meet.
enum DerivedID {
    /// Odd, so that multiplying by it is a bijection: two codes never give one id.
    private static let factor: UInt128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
    private static let cardSalt: UInt128 = 0xD6E8_FEB8_6659_FD93_A5A3_5625_1F2B_8C41
    private static let redemptionSalt: UInt128 = 0xC2B2_AE3D_27D4_EB4F_1656_67B1_9E37_79F9

    /// Of the first card that a stamp opens which opened none in history.
    static func card(for code: CodeID) -> CardID {
        CardID((code.value ^ cardSalt) &* factor)
    }

    /// Of the `number`th redemption that history does not have; its secret is of the same number.
    static func redemption(_ number: Int) -> RedemptionID {
        RedemptionID((UInt128(number) ^ redemptionSalt) &* factor)
    }
}
