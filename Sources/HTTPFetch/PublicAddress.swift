/// Tells addresses that the internet routes from those that mean this machine or this network.
///
/// After IANA's special-purpose registries for IPv4 and IPv6 (RFC 6890 and its successors): what is not
/// surely global is not public.
enum PublicAddress {
    /// Whether an IPv4 address of four bytes is public.
    static func isPublic(ipv4 bytes: [UInt8]) -> Bool {
        guard bytes.count == 4 else { return false }
        switch (bytes[0], bytes[1], bytes[2]) {
        case (0, _, _), (10, _, _), (127, _, _): return false
        case (100, 64...127, _): return false
        case (169, 254, _): return false
        case (172, 16...31, _): return false
        case (192, 0, 0), (192, 0, 2), (192, 88, 99), (192, 168, _): return false
        case (198, 18...19, _), (198, 51, 100): return false
        case (203, 0, 113): return false
        case (224..., _, _): return false
        default: return true
        }
    }

    /// Whether an IPv6 address of sixteen bytes is public; one that wraps an IPv4 address counts as that.
    static func isPublic(ipv6 bytes: [UInt8]) -> Bool {
        guard bytes.count == 16 else { return false }
        if bytes[..<10].allSatisfy({ $0 == 0 }) && bytes[10] == 0xFF && bytes[11] == 0xFF {
            return isPublic(ipv4: Array(bytes[12...]))
        }
        // Global unicast is 2000::/3 so far, less these.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        switch (bytes[0], bytes[1]) {
        // 2001::/23, protocols such as Teredo, and 2001:db8::/32, documentation.
        case (0x20, 0x01): return !(bytes[2] < 2 || (bytes[2] == 0x0D && bytes[3] == 0xB8))
        // 2002::/16, 6to4, which carries any IPv4 address.
        case (0x20, 0x02): return false
        // 3fff::/20, documentation.
        case (0x3F, 0xFF): return bytes[2] >= 0x10
        default: return true
        }
    }
}
