import AppStoreStandIn

/// Signs transactions as Apple would.
public typealias StoreKitAuthority = AppStoreStandIn.StoreKitAuthority
