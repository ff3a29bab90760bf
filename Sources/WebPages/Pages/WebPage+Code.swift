extension WebPage {
    /// A scanned stamp code: the same page for each text that could be one, so that nobody learns here which ones are good.
    ///
    /// - Parameter code: as it is typed: `K7QF-2M9X`.
    public static func stampCode(_ code: String, in language: PageLanguage) -> WebPage {
        WebPage(
            language: language, title: language.say("Your stamp code", "您的集点码"),
            description: language.say("Enter this code in the GreenTea app.", "请在 GreenTea 应用中输入此码。"), code: code,
            lines: [
                language.say(
                    "Enter this code in the GreenTea app. It works once, and not for long.", "请在 GreenTea 应用中输入此码。此码仅可使用一次，且很快失效。")
            ],
            note: note(language))
    }

    /// A scanned redemption code, which is for the shop's eyes.
    ///
    /// - Parameter code: as it is typed: `K7QF-2M9X`.
    public static func redemptionCode(_ code: String, in language: PageLanguage) -> WebPage {
        WebPage(
            language: language, title: language.say("A redemption code", "兑换码"),
            description: language.say("The shop enters this code to hand out the reward.", "由店家输入此码发放奖励。"), code: code,
            lines: [language.say("Show this code at the counter. The shop enters it and hands out the reward.", "请在柜台出示此码，由店家输入后发放奖励。")],
            note: note(language))
    }

    /// Nothing is there, or nothing any more.
    public static func notFound(in language: PageLanguage) -> WebPage {
        WebPage(
            language: language, title: language.say("Not found", "未找到"),
            description: language.say("There is nothing at this address.", "此地址没有内容。"),
            lines: [language.say("There is nothing at this address.", "此地址没有内容。")], note: note(language))
    }
}
