import WebPages

/// The texts of problems, without details of the service's inside.
struct ProblemText: Sendable {
    let title: String
    let detail: String

    private init(_ title: String, _ detail: String) { (self.title, self.detail) = (title, detail) }

    init(_ code: ProblemCode, in language: PageLanguage) { self = language == .english ? Self.english(code) : Self.chinese(code) }

    init(_ problem: Problem, in language: PageLanguage) {
        let own = problem.isAboutAccount ? Self.accountSuspended : problem.isAboutPaper ? Self.paperNotPrinted : nil
        let texts = own ?? (Self.english(problem.code), Self.chinese(problem.code))
        self = language == .english ? texts.english : texts.chinese
    }

    private static let paperNotPrinted = (
        english: ProblemText(
            "No paper cards", "This service prints no paper cards: its operator has not yet set the public address for their links."),
        chinese: ProblemText("无法打印纸卡", "此服务暂不能打印纸卡：运营方尚未设置纸卡链接所需的公开地址。")
    )
    private static let accountSuspended = (
        english: ProblemText("Account suspended", "This account is suspended for now. Ask the operator why."),
        chinese: ProblemText("账号已停用", "此账号已被暂停使用，请向运营方了解原因。")
    )

    private static func english(_ code: ProblemCode) -> ProblemText {
        switch code {
        case .invalidRequest: .init("Invalid request", "Something in the request is not as it must be; see errors.")
        case .idempotencyKeyRequired: .init("Idempotency key required", "Send an Idempotency-Key header with this request.")
        case .unauthenticated: .init("Not signed in", "Sign in and try again.")
        case .tokenExpired: .init("Sign-in expired", "The access token has expired; refresh it and try again.")
        case .forbidden: .init("Not allowed", "You may not do this.")
        case .ownShop: .init("Your own shop", "You cannot review a shop that you own or work for.")
        case .ownCampaign: .init("Your own campaign", "You cannot collect or redeem at a shop that you own or work for.")
        case .roleRequired: .init("Role required", "Your role at this shop does not include this; its owner can give you another.")
        case .reauthenticationRequired:
            .init(
                "Prove that it is you",
                "This needs a code sent to your number, or your password, unless you signed in within the last ten minutes.")
        case .suspended:
            .init("Shop suspended", "This shop is closed for now: what is full can still be redeemed there, and nothing else happens.")
        case .notFound: .init("Not found", "There is nothing here, or nothing that you may see.")
        case .methodNotAllowed: .init("Method not allowed", "This address does not take that method; see Allow.")
        case .cardNotFull: .init("Card not full", "Only a full card can be redeemed.")
        case .milestoneNotOpen:
            .init("Milestone not open", "The card has too few stamps for it, was spent, or had its reward already.")
        case .cardLimitReached:
            .init(
                "Card limit reached", "Nothing more fits: an account may fill only so many cards of this campaign, and a paper card is one."
            )
        case .couponClaimed: .init("Coupon claimed", "You have claimed this coupon before, and each account may claim it once.")
        case .alreadyMerchant: .init("Already a merchant", "An account can own 100 open shops and 1,000 in all, and this one does.")
        case .campaignNotRunning: .init("Campaign not running", "The campaign has not started or is over.")
        case .codeNotOpen: .init("Code not open", "The code was used or has expired already.")
        case .offerNotOpen: .init("Offer not open", "The offer was answered or withdrawn, or has lapsed.")
        case .notReversible: .init("Not reversible", "This can no longer be taken back.")
        case .badgeNotValid: .init("Badge not valid", "This badge is unknown or older than two minutes. Ask for a new one.")
        case .shopClosed: .init("Shop closed", "This shop has closed for good.")
        case .campaignOver: .init("Campaign over", "The time for this is past: the campaign is over.")
        case .versionConflict: .init("Changed meanwhile", "Somebody changed this since you read it; read it again.")
        case .preconditionRequired: .init("If-Match required", "Send the ETag that you read in an If-Match header.")
        case .tooLarge: .init("Too large", "The request is larger than the service takes.")
        case .unsupportedMediaType: .init("Unsupported media type", "Send JSON as application/json, and pictures as JPEG, PNG or WebP.")
        case .codeNotValid: .init("Code not valid", "Check the code and try again, or ask the shop for a new one.")
        case .paperNotValid:
            .init("Paper card not valid", "This paper card is unknown or was taken, or its campaign is not running.")
        case .redemptionNotValid: .init("Redemption not valid", "Ask the customer for a new redemption code.")
        case .verificationNotValid: .init("Verification not valid", "Check the code, or ask for a new one.")
        case .idempotencyKeyReused: .init("Idempotency key reused", "This key was used for another request; use a new one.")
        case .rateLimited: .init("Too many attempts", "Wait a while and try again; see Retry-After.")
        case .internal: .init("Something went wrong", "The service failed to answer; it has been noted. Try again later.")
        case .overloaded: .init("Too busy", "The service is busy; try again in a moment.")
        case .notCaughtUp: .init("Not caught up", "The service does not have the newest data yet; try again in a moment.")
        case .stopping: .init("Restarting", "The service is restarting; try again in a moment.")
        case .writerUnavailable:
            .init("No changes now", "The service cannot make changes now; the last one may have been made. Try again in a moment.")
        }
    }

    private static func chinese(_ code: ProblemCode) -> ProblemText {
        switch code {
        case .invalidRequest: .init("请求无效", "请求中有内容不符合要求，详见 errors。")
        case .idempotencyKeyRequired: .init("缺少幂等键", "请在此请求中附上 Idempotency-Key 标头。")
        case .unauthenticated: .init("未登录", "请登录后重试。")
        case .tokenExpired: .init("登录已过期", "访问令牌已过期，请刷新后重试。")
        case .forbidden: .init("无权操作", "您没有执行此操作的权限。")
        case .ownShop: .init("自己的店铺", "不能评论自己拥有或任职的店铺。")
        case .ownCampaign: .init("自己的活动", "不能在自己拥有或任职的店铺集点或兑换。")
        case .roleRequired: .init("角色权限不足", "你在该店铺的角色不能进行此操作，店主可以调整你的角色。")
        case .reauthenticationRequired: .init("请再次验证身份", "此操作需要发送到您手机号的验证码或您的密码；十分钟内登录的无需再次验证。")
        case .suspended: .init("店铺已停用", "该店铺暂停营业：已集满的卡仍可兑换，其他操作暂不可用。")
        case .notFound: .init("未找到", "此处没有内容，或您无权查看。")
        case .methodNotAllowed: .init("不支持的方法", "此地址不支持该方法，详见 Allow。")
        case .cardNotFull: .init("集点卡未集满", "集满的集点卡才能兑换。")
        case .milestoneNotOpen: .init("阶段奖励不可兑换", "此卡印章不足、已用完，或该奖励已领取。")
        case .cardLimitReached: .init("已达上限", "已无法再加点：每个账号可集满的卡数有上限，每张纸卡也只能集满一次。")
        case .couponClaimed: .init("优惠券已领取", "您已领取过此优惠券，每个账号限领一次。")
        case .alreadyMerchant: .init("已是商家", "每个账号最多拥有 100 家营业店铺、总共 1,000 家店铺，此账号已达上限。")
        case .campaignNotRunning: .init("活动未进行", "活动尚未开始或已经结束。")
        case .codeNotOpen: .init("集点码不可用", "集点码已被使用或已过期。")
        case .offerNotOpen: .init("邀请已失效", "该邀请已被答复、撤回或已过期。")
        case .notReversible: .init("无法撤销", "该操作已不能撤销。")
        case .badgeNotValid: .init("会员码无效", "该会员码无效或已超过两分钟，请重新出示。")
        case .shopClosed: .init("店铺已关闭", "该店铺已永久关闭。")
        case .campaignOver: .init("活动已结束", "该活动已结束，此操作的期限已过。")
        case .versionConflict: .init("内容已变更", "您读取之后内容已被修改，请重新读取。")
        case .preconditionRequired: .init("缺少 If-Match", "请在 If-Match 标头中附上读取时的 ETag。")
        case .tooLarge: .init("内容过大", "请求超过了服务允许的大小。")
        case .unsupportedMediaType: .init("不支持的内容类型", "JSON 请以 application/json 发送，图片须为 JPEG、PNG 或 WebP。")
        case .codeNotValid: .init("集点码无效", "请核对集点码后重试，或向店家索取新的集点码。")
        case .paperNotValid: .init("纸卡无效", "该纸卡不存在、已被领取，或所属活动不在进行中。")
        case .redemptionNotValid: .init("兑换码无效", "请顾客重新出示兑换码。")
        case .verificationNotValid: .init("验证失败", "请核对验证码，或重新获取。")
        case .idempotencyKeyReused: .init("幂等键重复", "此幂等键已用于其他请求，请换一个。")
        case .rateLimited: .init("尝试次数过多", "请稍候再试，详见 Retry-After。")
        case .internal: .init("服务出错", "服务未能作出回应，问题已记录，请稍后重试。")
        case .overloaded: .init("服务繁忙", "服务繁忙，请稍后重试。")
        case .notCaughtUp: .init("尚未同步", "服务尚未取得最新数据，请稍后重试。")
        case .stopping: .init("正在重启", "服务正在重启，请稍后重试。")
        case .writerUnavailable: .init("暂时无法更改", "服务暂时无法更改；上一次更改可能已生效。请稍后重试。")
        }
    }
}
