import AppStoreModel
import AppStoreTrust
import Foundation
import SignedDataCoding
import TillAPI

/// One proof of the demonstration, as an app would send it, and what a look at it shows.
struct DemoProof {
    /// The file's name, or what the demonstration calls it.
    let name: String
    /// What is sent.
    let wire: Wire
    /// What it shows, or why it is not genuine.
    let look: Result<Look, Refusal>

    enum Wire {
        /// An app receipt or an old transaction receipt, in base64.
        case receipt(String)
        /// A signed value.
        case signedTransaction(String)
    }

    /// What a genuine proof shows.
    struct Look {
        var environment: AppStoreEnvironment
        var bundleID: BundleID
        var appAppleID: Int64?
        var purchases: [(product: ProductID, type: ProductType?, expires: Bool)]
    }

    /// The request that hands it in.
    var request: PurchaseRequest {
        switch wire {
        case .receipt(let text): PurchaseRequest(receipt: text)
        case .signedTransaction(let text): PurchaseRequest(signedTransactions: [text])
        }
    }

    /// Reads a file's bytes; `nil` when there is no proof in them.
    init?(name: String, bytes: [UInt8], verifier: ProofVerifier) {
        guard let proof = try? ClientProof(decoding: bytes) else { return nil }
        self.name = name
        switch proof.content {
        case .receipt(let receipt):
            wire = .receipt(Base64.encode(receipt.bytes))
            look = Self.look { () throws(Refusal) in
                Look(try verifier.verifyReceipt(receipt))
            }
        case .legacyReceipt(let receipt):
            wire = .receipt(Base64.encode(receipt.bytes))
            look = Self.look { () throws(Refusal) in
                Look(try verifier.verifyLegacyReceipt(receipt))
            }
        case .signedValue(let jws):
            wire = .signedTransaction(String(decoding: jws.bytes, as: UTF8.self))
            look = Self.look { () throws(Refusal) in
                Look(try verifier.verifyTransaction(jws))
            }
        }
    }

    private static func look(_ look: () throws(Refusal) -> Look) -> Result<Look, Refusal> {
        do throws(Refusal) { return .success(try look()) } catch { return .failure(error) }
    }

    /// What is genuine, for an app and an environment that a server may admit.
    var genuine: Look? {
        guard case .success(let look) = look,
            look.environment == .production || look.environment == .sandbox
        else { return nil }
        return look
    }
}

extension DemoProof.Look {
    init(_ receipt: Verified<AppReceipt>) {
        environment = receipt.environment
        bundleID = receipt.bundleID
        appAppleID = receipt.value.appItemID
        purchases = receipt.value.inApp.map {
            ($0.productID, $0.productType?.productType, $0.expiresDate != nil)
        }
    }

    init(_ receipt: Verified<LegacyReceipt>) {
        environment = receipt.environment
        bundleID = receipt.bundleID
        purchases = [(receipt.value.productID, nil, receipt.value.expiresDate != nil)]
    }

    init(_ transaction: Verified<TransactionPayload>) {
        environment = transaction.environment
        bundleID = transaction.bundleID
        purchases = [
            (
                transaction.value.productID, transaction.value.type,
                transaction.value.expiresDate != nil
            )
        ]
    }
}

/// Where the demonstration's proofs come from.
enum DemoSource {
    /// A folder; where it has `receipts` and `jws` in it, those two.
    case folder(String)
    /// Signed on the spot.
    case throwaway

    /// The word that asks for proofs signed on the spot.
    static let throwawayWord = "throwaway"

    /// What a word of the command line means.
    static func named(_ word: String) -> DemoSource {
        word == throwawayWord ? .throwaway : .folder(word)
    }

    /// The files that may hold proofs, in order of their names.
    static func files(in folder: String) -> [String] {
        let known = ["receipts", "jws"].map { "\(folder)/\($0)" }
        let isSorted = known.allSatisfy { FileManager.default.fileExists(atPath: $0) }
        let roots = isSorted ? known : [folder]
        var files: [String] = []
        for root in roots {
            guard let walker = FileManager.default.enumerator(atPath: root) else { continue }
            for case let name as String in walker where !name.contains("/.") {
                guard !name.hasPrefix("."), files.count < 1_000 else { continue }
                files.append("\(root)/\(name)")
            }
        }
        return files.sorted()
    }

    /// The file's bytes; `nil` for folders and what is too large to be a proof.
    static func bytes(of file: String) -> [UInt8]? {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            attributes[.type] as? FileAttributeType == .typeRegular,
            let size = attributes[.size] as? Int, size <= ClientProof.maximumBytes,
            let data = try? Data(contentsOf: URL(fileURLWithPath: file))
        else { return nil }
        return [UInt8](data)
    }
}
