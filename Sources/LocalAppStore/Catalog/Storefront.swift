/// A country's store: Apple's number of it and its currency.
public struct Storefront: Sendable, Hashable {
    /// ISO 3166-1 alpha-3.
    public let countryCode: String
    /// Apple's number.
    public let id: String
    /// ISO 4217.
    public let currency: String

    /// The United States.
    public static let usa = Storefront(countryCode: "USA", id: "143441", currency: "USD")

    /// Finds a storefront by its country; nothing for one that the store does not know.
    public init?(countryCode: String) {
        guard let row = Self.table[countryCode] else { return nil }
        self.init(countryCode: countryCode, id: row.id, currency: row.currency)
    }

    private init(countryCode: String, id: String, currency: String) {
        self.countryCode = countryCode
        self.id = id
        self.currency = currency
    }

    private static let table: [String: (id: String, currency: String)] = [
        "USA": ("143441", "USD"), "FRA": ("143442", "EUR"), "DEU": ("143443", "EUR"),
        "GBR": ("143444", "GBP"), "AUT": ("143445", "EUR"), "BEL": ("143446", "EUR"),
        "FIN": ("143447", "EUR"), "GRC": ("143448", "EUR"), "IRL": ("143449", "EUR"),
        "ITA": ("143450", "EUR"), "LUX": ("143451", "EUR"), "NLD": ("143452", "EUR"),
        "PRT": ("143453", "EUR"), "ESP": ("143454", "EUR"), "CAN": ("143455", "CAD"),
        "SWE": ("143456", "SEK"), "NOR": ("143457", "NOK"), "DNK": ("143458", "DKK"),
        "CHE": ("143459", "CHF"), "AUS": ("143460", "AUD"), "NZL": ("143461", "NZD"),
        "JPN": ("143462", "JPY"), "HKG": ("143463", "HKD"), "SGP": ("143464", "SGD"),
        "CHN": ("143465", "CNY"), "KOR": ("143466", "KRW"), "IND": ("143467", "INR"),
        "MEX": ("143468", "MXN"), "RUS": ("143469", "RUB"), "TWN": ("143470", "TWD"),
        "VNM": ("143471", "VND"), "ZAF": ("143472", "ZAR"), "MYS": ("143473", "MYR"),
        "PHL": ("143474", "PHP"), "THA": ("143475", "THB"), "IDN": ("143476", "IDR"),
        "POL": ("143478", "PLN"), "SAU": ("143479", "SAR"), "TUR": ("143480", "TRY"),
        "ARE": ("143481", "AED"), "HUN": ("143482", "HUF"), "CHL": ("143483", "CLP"),
        "CZE": ("143489", "CZK"), "ISR": ("143491", "ILS"), "UKR": ("143492", "UAH"),
        "COL": ("143501", "COP"), "BRA": ("143503", "BRL"), "ARG": ("143505", "USD"),
        "PAK": ("143477", "PKR"), "NPL": ("143484", "USD"), "PAN": ("143485", "USD"),
        "LKA": ("143486", "USD"), "ROU": ("143487", "RON"), "KWT": ("143493", "USD"),
        "HRV": ("143494", "EUR"), "CRI": ("143495", "USD"), "SVK": ("143496", "EUR"),
        "LBN": ("143497", "USD"), "QAT": ("143498", "QAR"), "SVN": ("143499", "EUR"),
        "VEN": ("143502", "USD"), "GTM": ("143504", "USD"), "SLV": ("143506", "USD"),
        "PER": ("143507", "PEN"), "DOM": ("143508", "USD"), "ECU": ("143509", "USD"),
        "HND": ("143510", "USD"), "JAM": ("143511", "USD"), "NIC": ("143512", "USD"),
        "PRY": ("143513", "USD"), "URY": ("143514", "USD"), "MAC": ("143515", "USD"),
        "EGY": ("143516", "EGP"), "KAZ": ("143517", "KZT"), "EST": ("143518", "EUR"),
        "LVA": ("143519", "EUR"), "LTU": ("143520", "EUR"), "MLT": ("143521", "EUR"),
        "MDA": ("143523", "USD"), "ARM": ("143524", "USD"), "BWA": ("143525", "USD"),
        "BGR": ("143526", "EUR"), "JOR": ("143528", "USD"), "KEN": ("143529", "USD"),
        "MKD": ("143530", "USD"), "MUS": ("143533", "USD"), "SEN": ("143535", "USD"),
        "TUN": ("143536", "USD"), "UGA": ("143537", "USD"), "BHS": ("143539", "USD"),
        "BRB": ("143541", "USD"), "BMU": ("143542", "USD"), "TTO": ("143551", "USD"),
        "BOL": ("143556", "USD"), "CYP": ("143557", "EUR"), "ISL": ("143558", "USD"),
        "BHR": ("143559", "USD"), "NGA": ("143561", "NGN"), "OMN": ("143562", "USD"),
        "DZA": ("143563", "USD"), "AGO": ("143564", "USD"), "BLR": ("143565", "USD"),
        "UZB": ("143566", "USD"), "AZE": ("143568", "USD"),
    ]
}

/// Writes money for people, without any library's locales.
enum PriceText {
    private static let wholeUnits: Set<String> = ["JPY", "KRW", "VND", "CLP", "IDR", "HUF"]
    private static let signs: [String: String] = [
        "USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "¥", "KRW": "₩", "INR": "₹",
        "BRL": "R$", "CAD": "$", "AUD": "$", "NZD": "$", "HKD": "HK$", "SGD": "$", "TWD": "NT$",
        "MXN": "$", "VND": "₫", "ILS": "₪", "TRY": "₺", "RUB": "₽", "UAH": "₴", "PHP": "₱",
    ]

    /// Milliunits as `$4.99`; a currency without a sign of its own comes as `CHF 4.99`.
    static func text(_ price: Int64, currency: String) -> String {
        let sign = signs[currency] ?? currency + " "
        let hundredths = price >= 0 ? (price + 5) / 10 : 0
        if wholeUnits.contains(currency), hundredths % 100 == 0 {
            return "\(sign)\(hundredths / 100)"
        }
        let cents = hundredths % 100
        return "\(sign)\(hundredths / 100).\(cents < 10 ? "0" : "")\(cents)"
    }

    /// Reads a decimal text such as `4.99` as milliunits; nothing for another text or more than 10^12.
    static func milliunits(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), text.utf8.count <= 16,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let whole = Int64(parts[0].isEmpty ? "0" : String(parts[0])), whole <= 1_000_000_000_000
        else { return nil }
        guard parts.count == 2 else { return parts[0].isEmpty ? nil : whole * 1_000 }
        guard !(parts[0].isEmpty && parts[1].isEmpty) else { return nil }
        let digits = parts[1].prefix(3)
        guard let fraction = Int64(digits + String(repeating: "0", count: 3 - digits.count)) else {
            return nil
        }
        return whole * 1_000 + fraction
    }
}
