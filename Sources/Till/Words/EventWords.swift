/// One message in every language.
struct Words: Sendable, Hashable {
    let english: String
    let chinese: String

    init(_ english: String, _ chinese: String) {
        self.english = english
        self.chinese = chinese
    }

    func text(in language: MessageLanguage) -> String {
        switch language {
        case .english: english
        case .simplifiedChinese: chinese
        }
    }
}

extension TillEvent.Kind {
    /// The one table of everything that Till says to people.
    var words: Words {
        switch self {
        case .noPermission:
            Words("In-app purchases are not allowed on this device", "此设备不允许应用内购买，请先开启")
        case .couldNotAdd: Words("The purchase could not be started", "无法发起购买")
        case .purchasing: Words("Processing…", "正在处理…")
        case .purchased: Words("Purchase complete", "购买成功")
        case .failed: Words("The purchase did not work", "购买失败")
        case .cancelled: Words("You cancelled the purchase", "您已取消购买")
        case .restored: Words("Your purchases are restored", "恢复购买成功")
        case .deferred: Words("The purchase waits for approval", "购买正在等待批准")
        case .openingOrder: Words("Opening the order…", "正在创建订单…")
        case .askingStore: Words("Asking the App Store…", "正在查询商品…")
        case .paying: Words("Starting the payment…", "正在发起支付…")
        case .verifying: Words("Verifying the purchase…", "正在验证购买…")
        case .delivering: Words("Delivering…", "正在发放商品…")
        case .retrying:
            Words("The network is slow, trying again…", "网络不稳定，正在重试…")
        case .alreadyPurchased: Words("This purchase is already yours", "该购买已到账")
        case .refused:
            Words("The purchase was refused, please contact us", "购买未通过验证，请联系客服")
        case .waitingForServer:
            Words("Paid; the goods follow shortly", "已付款，商品将稍后发放")
        case .waitingForLogin:
            Words("Log in to receive your purchase", "请登录以领取您购买的商品")
        case .waitingForOwner:
            Words(
                "This purchase belongs to another account; log in there to receive it",
                "该购买属于其他账号，请登录该账号领取")
        case .ownedByAnother:
            Words(
                "This Apple account's subscription belongs to another account; log in there or restore it",
                "此 Apple 账户的订阅属于其他账号，请登录该账号或恢复购买")
        case .unclaimed:
            Words("A purchase waits to be claimed", "有一笔购买等待您确认领取")
        case .restoring: Words("Restoring…", "正在恢复购买…")
        case .nothingToRestore: Words("No former purchase was found", "没有找到可恢复的购买")
        case .expired:
            Words("Your subscription is over, please subscribe again", "会员已过期，请重新订阅")
        case .revoked: Words("A purchase was refunded", "一笔购买已被退款")
        case .promoted:
            Words("Continuing your purchase from the App Store", "正在继续您在 App Store 中的购买")
        case .customerChanged: Words("Your account is up to date", "账户信息已更新")
        }
    }
}
