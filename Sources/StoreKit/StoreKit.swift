// Apple's StoreKit brings Foundation along, with what Linux keeps in a module of its own; code
// written for it names `URLRequest` and `Data` after `import StoreKit` alone.
@_exported public import Foundation
@_exported public import FoundationNetworking
