public import Foundation

/// A request to the App Store to sell something to the customer.
open class SKPayment: NSObject, NSCopying, NSMutableCopying {
    /// The parts of a payment, kept as one value so that a copy takes them all.
    struct Terms: Sendable, Hashable {
        var productIdentifier = ""
        var quantity = 1
        var requestData: Data?
        var applicationUsername: String?
        var simulatesAskToBuyInSandbox = false
    }

    final var terms = Terms()
    final var discount: SKPaymentDiscount?

    /// Makes a payment without a product.
    public override init() { super.init() }

    /// Makes a payment for one piece of `product`.
    public convenience init(product: SKProduct) {
        self.init()
        terms.productIdentifier = product.productIdentifier
    }

    /// The product to buy.
    open var productIdentifier: String { terms.productIdentifier }
    /// How many to buy, 1 to 10.
    open var quantity: Int { terms.quantity }
    /// Reserved; the store rejects a payment that has it.
    open var requestData: Data? { terms.requestData }
    /// An opaque name of the customer's account in the app; kept by the store only if it is a UUID.
    open var applicationUsername: String? { terms.applicationUsername }
    /// Whether the sandbox shall ask somebody else to buy.
    open var simulatesAskToBuyInSandbox: Bool { terms.simulatesAskToBuyInSandbox }
    /// The signed offer to apply.
    open var paymentDiscount: SKPaymentDiscount? { discount }

    /// The payment itself when it cannot change, a snapshot otherwise.
    open func copy(with zone: NSZone? = nil) -> Any { snapshot() }

    /// A payment with the same terms that can be changed.
    open func mutableCopy(with zone: NSZone? = nil) -> Any {
        let copy = SKMutablePayment()
        copy.take(self)
        return copy
    }

    /// Compares terms, as Apple's payments do.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SKPayment else { return false }
        return self === other || (readTerms() == other.readTerms() && sameDiscount(other))
    }

    /// Agrees with ``isEqual(_:)``.
    open override var hash: Int { readTerms().hashValue }

    /// The terms as the overridable properties tell them, so that a subclass is heard.
    final func readTerms() -> Terms {
        Terms(
            productIdentifier: productIdentifier, quantity: quantity, requestData: requestData,
            applicationUsername: applicationUsername,
            simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox)
    }

    final func take(_ other: SKPayment) {
        terms = other.readTerms()
        discount = other.paymentDiscount
    }

    private final func sameDiscount(_ other: SKPayment) -> Bool {
        switch (paymentDiscount, other.paymentDiscount) {
        case (nil, nil): true
        case (let mine?, let theirs?): mine.fields == theirs.fields
        default: false
        }
    }

    func snapshot() -> SKPayment { self }
}

/// A payment whose terms can be changed until it is added to the queue.
open class SKMutablePayment: SKPayment {
    /// The product to buy.
    open override var productIdentifier: String {
        get { terms.productIdentifier }
        set { terms.productIdentifier = newValue }
    }
    /// How many to buy, 1 to 10.
    open override var quantity: Int {
        get { terms.quantity }
        set { terms.quantity = newValue }
    }
    /// Reserved; the store rejects a payment that has it.
    open override var requestData: Data? {
        get { terms.requestData }
        set { terms.requestData = newValue }
    }
    /// An opaque name of the customer's account in the app; kept by the store only if it is a UUID.
    open override var applicationUsername: String? {
        get { terms.applicationUsername }
        set { terms.applicationUsername = newValue }
    }
    /// Whether the sandbox shall ask somebody else to buy.
    open override var simulatesAskToBuyInSandbox: Bool {
        get { terms.simulatesAskToBuyInSandbox }
        set { terms.simulatesAskToBuyInSandbox = newValue }
    }
    /// The signed offer to apply.
    open override var paymentDiscount: SKPaymentDiscount? {
        get { discount }
        set { discount = newValue }
    }

    override func snapshot() -> SKPayment {
        let copy = SKPayment()
        copy.take(self)
        return copy
    }
}

/// A promotional offer with the signature of the developer's server.
open class SKPaymentDiscount: NSObject, @unchecked Sendable {
    struct Fields: Sendable, Hashable {
        let identifier: String
        let keyIdentifier: String
        let nonce: UUID
        let signature: String
        let timestamp: Int64
    }

    // Immutable, which is the proof for `@unchecked`.
    let fields: Fields

    /// Makes an empty offer, for subclasses in tests.
    public override init() {
        fields = Fields(
            identifier: "", keyIdentifier: "", nonce: .zero, signature: "", timestamp: 0)
        super.init()
    }

    /// Takes the offer's name, the key's name and what the server signed with it.
    public init(
        identifier: String, keyIdentifier: String, nonce: UUID, signature: String,
        timestamp: NSNumber
    ) {
        fields = Fields(
            identifier: identifier, keyIdentifier: keyIdentifier, nonce: nonce,
            signature: signature, timestamp: timestamp.int64Value)
        super.init()
    }

    /// The offer's name.
    open var identifier: String { fields.identifier }
    /// The name of the key that signed.
    open var keyIdentifier: String { fields.keyIdentifier }
    /// The one-time number of the signature.
    open var nonce: UUID { fields.nonce }
    /// The signature's DER bytes in base64.
    open var signature: String { fields.signature }
    /// When it was signed, in milliseconds since 1970.
    open var timestamp: NSNumber { NSNumber(value: fields.timestamp) }
}
