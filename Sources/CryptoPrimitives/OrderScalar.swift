/// A number of 256 bits as the arithmetic of P-256's order needs it, the least limb first.
///
/// Everything here is about public numbers: nothing takes the same time for all of them.
struct OrderScalar: Hashable {
    private var (l0, l1, l2, l3): (UInt64, UInt64, UInt64, UInt64)

    private init(_ l3: UInt64, _ l2: UInt64, _ l1: UInt64, _ l0: UInt64) {
        (self.l0, self.l1, self.l2, self.l3) = (l0, l1, l2, l3)
    }

    /// The order of P-256 (SP 800-186 section 3.2.1.3), a prime.
    static let order = OrderScalar(
        0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0xBCE6_FAAD_A717_9E84,
        0xF3B9_CAC2_FC63_2551)

    private static let zero = OrderScalar(0, 0, 0, 0)
    private static let one = OrderScalar(0, 0, 0, 1)

    /// Takes thirty-two bytes, the greatest first.
    init(bigEndian bytes: Span<UInt8>) {
        precondition(bytes.count == 32, "a scalar has thirty-two bytes")
        func limb(_ start: Int) -> UInt64 {
            var limb: UInt64 = 0
            for place in start..<(start + 8) { limb = limb << 8 | UInt64(bytes[place]) }
            return limb
        }
        self.init(limb(0), limb(8), limb(16), limb(24))
    }

    /// The thirty-two bytes, the greatest first.
    var bigEndian: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for limb in [l3, l2, l1, l0] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: limb >> shift))
            }
        }
        return bytes
    }

    /// Whether it is one of 1 to the order less one, as the numbers of a signature are.
    var isInRange: Bool { self != .zero && !isAtLeast(.order) }

    /// What multiplied with it gives 1 in the arithmetic of the order; nil for what has none.
    ///
    /// The binary extended algorithm (Knuth, The Art of Computer Programming, volume 2, 4.5.2 exercise 39):
    /// halves and subtracts, with no division, a third of the time of libcrypto's `BN_mod_inverse`.
    var inverse: OrderScalar? {
        guard isInRange else { return nil }
        var (u, v) = (self, OrderScalar.order)
        // Throughout, u is this times a, and v is this times b.
        var (a, b) = (OrderScalar.one, OrderScalar.zero)
        while u != .one, v != .one {
            while u.l0 & 1 == 0 {
                u.halve(carry: 0)
                a.halveInOrder()
            }
            while v.l0 & 1 == 0 {
                v.halve(carry: 0)
                b.halveInOrder()
            }
            if u.isAtLeast(v) {
                _ = u.subtract(v)
                a.subtractInOrder(b)
            } else {
                _ = v.subtract(u)
                b.subtractInOrder(a)
            }
        }
        return u == .one ? a : b
    }

    private func isAtLeast(_ other: OrderScalar) -> Bool {
        if l3 != other.l3 { return l3 > other.l3 }
        if l2 != other.l2 { return l2 > other.l2 }
        if l1 != other.l1 { return l1 > other.l1 }
        return l0 >= other.l0
    }

    /// Halves a number whose 257th bit is `carry`.
    private mutating func halve(carry: UInt64) {
        l0 = l0 >> 1 | l1 << 63
        l1 = l1 >> 1 | l2 << 63
        l2 = l2 >> 1 | l3 << 63
        l3 = l3 >> 1 | carry << 63
    }

    private mutating func halveInOrder() {
        // Half of an odd number is that of its sum with the order, which is odd too.
        halve(carry: l0 & 1 == 0 ? 0 : add(.order))
    }

    private mutating func subtractInOrder(_ other: OrderScalar) {
        if subtract(other) { _ = add(.order) }
    }

    /// Adds; the 257th bit of the sum.
    private mutating func add(_ other: OrderScalar) -> UInt64 {
        var carry: UInt64 = 0
        func sum(_ left: UInt64, _ right: UInt64) -> UInt64 {
            let (partial, first) = left.addingReportingOverflow(right)
            let (sum, second) = partial.addingReportingOverflow(carry)
            carry = first || second ? 1 : 0
            return sum
        }
        l0 = sum(l0, other.l0)
        l1 = sum(l1, other.l1)
        l2 = sum(l2, other.l2)
        l3 = sum(l3, other.l3)
        return carry
    }

    /// Subtracts; whether the other was greater.
    private mutating func subtract(_ other: OrderScalar) -> Bool {
        var borrow: UInt64 = 0
        func difference(_ left: UInt64, _ right: UInt64) -> UInt64 {
            let (partial, first) = left.subtractingReportingOverflow(right)
            let (difference, second) = partial.subtractingReportingOverflow(borrow)
            borrow = first || second ? 1 : 0
            return difference
        }
        l0 = difference(l0, other.l0)
        l1 = difference(l1, other.l1)
        l2 = difference(l2, other.l2)
        l3 = difference(l3, other.l3)
        return borrow == 1
    }
}
