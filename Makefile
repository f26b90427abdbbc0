# Every target installs what it misses (Debian packages as root or through sudo, saying so; Python
# peers into .venv) and then does its work.

# What computes without a pause keeps a processor for seconds; what goes on in many small steps would wait for it
# at each of them, and run out of time.
computing := ^(AppStoreCoding|AppStoreModel|AppStoreSigning|AppStoreTrust|CryptoPrimitives|House|SignedDataCoding)Tests|AppleAPITests

# The SDK's launches, which are killed at every moment there is, take the most steps of all.
launches := ^TillTests

# What drives other programs or waits for StoreKit's one queue is tested by itself: beside the tests
# that take many small steps it would starve.
apart := Chromium|HTTPAppleLibraryTests|StoreKitInOneProcess|ExampleProgramTests|TillEndToEndTests

# The suites over every database start servers of PostgreSQL and wait for disks: by themselves too.
stores := ^LedgerTests|PostgresDriverTests|TwoServersTests

# Tests at once: all of them together open thousands of files, and what has a time limit meets it by chance.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH := 16

packages := libssl-dev libsqlite3-dev libpq-dev libcurl4-openssl-dev pkg-config
PROOFS ?=
STAY ?=

# Proofs for whoever has none: Apple's own, where they lie beside the project.
proofs := $(if $(wildcard ../shared/data/receipts),../shared/data,throwaway)

.PHONY: help build demo test bench format check check-layers check-docs packages peers clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

packages:
	@scripts/install-packages $(packages)

peers: packages
	@scripts/install-packages chromium fonts-dejavu-core
	@scripts/install-peers

build: packages ## build till in release mode: .build/release/till
	swift build -c release --static-swift-stdlib --product till

demo: packages ## watch purchases go through all three parts, and proofs meet a server (STAY=1 to go on by hand, PROOFS=DIR for your own proofs)
	@swift build --product till
	@$(if $(PROOFS),,.build/debug/till demo $(if $(STAY),--stay))
	@$(if $(STAY),,echo; .build/debug/till demo --proofs "$(or $(PROOFS),$(proofs))")

test: packages peers ## run every test
	@scripts/install-packages sqlite3 openssl postgresql pgbouncer
	swift build --build-tests --disable-xctest
	swift test --skip-build --disable-xctest --filter '$(computing)'
	swift test --skip-build --disable-xctest --filter '$(launches)' --skip '$(computing)'
	swift test --skip-build --disable-xctest --skip '$(computing)|$(launches)|$(apart)|$(stores)'
	swift test --skip-build --disable-xctest --filter '$(stores)'
	swift test --skip-build --disable-xctest --filter '$(apart)' --skip 'PageTests|Chromium'
	swift test --skip-build --disable-xctest --filter 'PageTests|Chromium'

bench: packages peers ## print every ratio against a limit or a peer measured in the same run
	swift build -c release --scratch-path .build-release --static-swift-stdlib --product till-bench
	swift build -c release --scratch-path .build-release --static-swift-stdlib --product till
	.build-release/release/till-bench

format: ## put every source file into the project's form
	swift format -i --recursive Sources Tests Examples Package.swift

check: packages ## what CI checks beside the tests: form, layers, documentation
	swift format lint --strict --recursive Sources Tests Examples Package.swift
	scripts/check-layers
	scripts/check-docs

check-layers: packages
	scripts/check-layers

check-docs: packages
	scripts/check-docs

clean: ## remove what was built
	rm -rf .build .build-release .venv
