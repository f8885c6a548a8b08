# Everything that CI does, by name. `make ci` is all of it; `.ci/run` and the hosted workflow run that.

GO ?= go
FUZZTIME ?= 3s
KILLS ?= 3000
ROUNDS ?= 50
TREES ?= 30000
KILLED ?= 2000
STATICCHECK = $(GO) tool -modfile=$(CURDIR)/tools/go.mod staticcheck

.NOTPARALLEL:
.PHONY: help gen check fmt vet staticcheck tidy contracts test test-nested race soak fuzz bench update update-clean ci

help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  \1	\2/p' Makefile

gen: ## write gen/, catalog/ and toolgen.lock, here and in examples/
	$(GO) run ./cmd/toolgen generate --full
	$(GO) run ./cmd/toolgen -C examples generate --full

check: fmt vet staticcheck tidy contracts ## everything that reads and writes nothing

fmt: ## formatting
	./scripts/fmt.sh

vet: ## go vet, every module
	./scripts/each-module.sh $(GO) vet ./...

staticcheck: ## staticcheck in the version that tools/go.mod pins, every module
	./scripts/each-module.sh $(STATICCHECK) ./...

tidy: ## go.mod and go.sum say what is needed, tools/ included
	./scripts/each-module.sh $(GO) mod tidy -diff
	cd tools && $(GO) mod tidy -diff

contracts: ## outputs are those of the specs
	$(GO) run ./cmd/toolgen check --full
	$(GO) run ./cmd/toolgen -C examples check --full

test: ## the README's test command
	$(GO) test ./...

test-nested: ## tests of the modules below the root
	./scripts/each-module.sh --nested $(GO) test ./...

# In short mode random tests take a tenth of their seeds, and decoding, which shares nothing but its tables, runs what is
# concurrent alone: the detector makes all of it five to ten times slower.
race: ## the runtime under the race detector
	$(GO) test -race -short $$($(GO) list ./runtime/... | grep -v -e /decode$$ -e /contracts$$)
	$(GO) test -race -run Concurrent ./runtime/tool/decode

soak: ## the store's kills, losses of power and random steps, the agents' random trees, and killed ones, many times
	STORETEST_KILLS=$(KILLS) STORETEST_ROUNDS=$(ROUNDS) $(GO) test -count=1 -timeout 0 ./runtime/store/...
	TOOLGEN_TREES=$(TREES) $(GO) test -count=1 -timeout 0 -run Random ./runtime/subagent
	KILL_TREES=$(KILLED) $(GO) test -count=1 -timeout 0 ./tests/kill

fuzz: ## each fuzz target for FUZZTIME
	FUZZTIME=$(FUZZTIME) ./scripts/fuzz.sh

bench: ## benchmarks, every module
	./scripts/each-module.sh $(GO) test -run='^$$' -bench=. -benchmem ./...

update: ## go generate and the golden files of the tests
	./scripts/update.sh

update-clean: ## update, and demand that it changed nothing
	./scripts/unchanged.sh ./scripts/update.sh

# The tests come last, so that the output ends with their lines.
ci: check update-clean race fuzz test-nested test ## all of CI
