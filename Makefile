# The short way in. Every target works from a fresh clone; what it needs is built first.
MVN ?= mvn -B
# Which commit was built: --version and build_info say it.
override MVN += -Dimexagent.commit=$(or $(shell git rev-parse --short=12 HEAD 2>/dev/null),unknown)
# Maven runs on the JDK 25 that the build finds: the compiler then runs in its JVM. By hand it may run on an older one.
override JAVA25 := $(shell jdk_program=javac; . bin/find-jdk.sh; echo "$$jdk")
override MVN := $(if $(JAVA25),JAVA_HOME='$(JAVA25)' MAVEN_OPTS="--sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED $$MAVEN_OPTS" )$(MVN)
# Of make rpm and image-container; packaging/rpm/build and packaging/container/build say what they are.
export ARCH JDK SYSROOT DIST BASE
# Of make native; packaging/native-image/build says what they are.
export NATIVE_IMAGE GRAALVM_HOME SYMBOLS
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

IMAGE := agent/target/image
JAR := $(IMAGE)/lib/imex-agent.jar
CACHE := $(IMAGE)/imex-agent.aot
# Two architectures that are built at the same time need a folder each: both write the source package.
RPM ?= target/rpm
export E2E_PACKAGES = $(RPM)
CONTAINER ?= target/container
export E2E_IMAGES = $(CONTAINER)
SOURCES := $(shell find . -path '*/src/main/*' -type f -not -path './.git/*' 2>/dev/null) $(wildcard pom.xml */pom.xml)

# Another executable of the agent, such as a native image, for e2e, demo, and the benchmarks: make e2e AGENT=/tmp/imex-agent
AGENT ?=
$(if $(AGENT),$(if $(wildcard $(AGENT)),,$(error AGENT=$(AGENT): there is no such file)))
E2E := $(if $(AGENT),E2E_AGENT='$(abspath $(AGENT))' )e2e/bin
# A class cache is of no use to it.
READY := $(if $(AGENT),build,image)

.PHONY: help build image native rpm demo test check test-gpu selinux e2e e2e-host e2e-aarch64 bench bench-compare bench-controller bench-fabric bench-page soak pictures format docs clean image-container release checksums

help: ## this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: $(JAR) ## build the agent; bin/imex-agent runs it

$(JAR): $(SOURCES)
	@$(MVN) package -DskipTests -Dexec.skip 2>&1 | e2e/bin/page target/build.log
	@touch $@

image: $(CACHE) ## build the agent with its class cache: it starts in a third of the time

$(CACHE): $(JAR)
	e2e/bin/train $(CACHE)

native: $(JAR) ## the agent as an executable, in agent/target/native: make native NATIVE_IMAGE=program of a GraalVM or Mandrel for JDK 25
	packaging/native-image/build

rpm: ## the source and the binary package, of what is committed, in target/rpm; make rpm ARCH=aarch64 for Grace
	packaging/rpm/build $(RPM)

# The tests take the package that is there; make rpm builds it again.
$(RPM):
	packaging/rpm/build $(RPM)

# A package with a native image has no jars, and the tool for the bill of materials needs some.
image-container: $(RPM) $(if $(GRAALVM_HOME)$(NATIVE_IMAGE)$(NATIVE),$(JAR)) ## the container image of that package, in target/container; BASE=image@digest for a release
	packaging/container/build $(RPM) $(CONTAINER)

release: ## packages, images, chart, objects of the cluster, bills of materials and SHA256SUMS of this commit, in target/release
	packaging/release

checksums: ## list what Maven fetches, with checksums, after a version has changed (an empty repository: ten minutes)
	bin/checksums write

demo: $(JAR) ## the agent on a simulated GB200 tray, from the probe to a prepared claim
	$(E2E)/demo

test: ## unit, contract and integration tests, and every check of the build; the whole output is in target/verify.log
	@$(MVN) -T 2 verify 2>&1 | e2e/bin/page target/verify.log

# A package has the name of its module; nvml-bindings has nvml.
check: TESTS = io/imexagent/$(or $(filter-out nvml-bindings,$(MODULE)),nvml)/**/*
check: ## build one module and what it needs, and run its tests: make check MODULE=rdma
	@test -n '$(MODULE)' || { echo 'which module? make check MODULE=rdma' >&2; exit 2; }
	@$(MVN) verify -pl '$(MODULE)' -am -Dexec.skip -Dtest='$(TESTS)Test' -Dit.test='$(TESTS)IT' \
	  -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false 2>&1 | e2e/bin/page target/check.log

# By name only: other machines have no GPU. Needs root, for device nodes that the test's own processes see.
test-gpu: $(JAR) ## the driver of this machine: the contracts of NVML and libcuda, ranks of the fabric test, and fabric local (needs root and a GPU)
	nvidia-smi
	@$(MVN) test -pl nvml-bindings,fabric -am -Dexec.skip -Dtest='JnaNvmlOnThisHost,FabricOnThisHost,RanksOnThisHost' \
	  -Dsurefire.failIfNoSpecifiedTests=false 2>&1 | e2e/bin/page target/test-gpu.log
	for level in import map data; do time bin/imex-agent fabric local --level $$level || exit; done
	nvidia-smi

selinux: ## the SELinux module, compiled into a policy, and what it allows and forbids
	packaging/selinux/check

e2e: $(READY) ## the agent as a process: crashes, restarts, real containers, a browser (needs root, podman and chromium); of another build: AGENT=file
	$(E2E)/e2e

e2e-host: $(JAR) $(RPM) ## the package on booted machines, and its image: gate, service, upgrade (needs root, systemd-nspawn, podman)
	$(E2E)/e2e-host

e2e-aarch64: $(JAR) ## the package for Grace, emulated; after make rpm ARCH=aarch64 (needs root, podman, qemu-user)
	e2e/bin/e2e-aarch64

# What is built first says so on standard error, so that the document pipes.
bench: ## time and memory, one JSON document without isolation and one with channels; after make rpm with the installed agent's figures
	@$(MAKE) --no-print-directory $(READY) >&2
	@$(E2E)/bench $(BENCH)
	@$(E2E)/launch io.imexagent.e2e.Tools bench-first-claim

# An earlier document, as e2e/bin/bench has printed it.
THEN ?= docs/performance.json
bench-compare: ## the figures of this checkout beside docs/performance.json, as ratios: make bench-compare THEN=file BENCH=--brief
	@test -f '$(THEN)' || { echo 'which earlier document? e2e/bin/bench >before.json; make bench-compare THEN=before.json' >&2; exit 2; }
	@$(MAKE) --no-print-directory $(READY) >&2
	@mkdir -p target
	@$(E2E)/bench $(BENCH) >target/performance.json
	@$(E2E)/launch io.imexagent.e2e.Tools bench-compare '$(THEN)' target/performance.json

soak: ## an agent at work for an hour, with outages of the API server, and what has grown: make soak MINUTES=60 AGENT=file
	@$(MAKE) --no-print-directory $(READY) >&2
	@$(E2E)/launch io.imexagent.e2e.Tools soak --minutes $(or $(MINUTES),60)

bench-controller: ## time, calls and memory of the controller with 5,000 ComputeDomains
	@$(MAKE) --no-print-directory $(READY) >&2
	@$(E2E)/launch io.imexagent.e2e.Tools bench-controller

bench-fabric: ## channels per clique: nodes that bind at once, a crowd on one and on 18, an hour of 10,000 nodes, simulated, and what files of nodes cost (three minutes)
	@$(MAKE) --no-print-directory $(READY) >&2
	@$(E2E)/launch io.imexagent.e2e.Tools bench-bind
	@$(E2E)/launch io.imexagent.e2e.Tools bench-crowd
	@E2E_CLASS_PATH=e2e/target/test-classes $(E2E)/launch io.imexagent.e2e.fabric.FabricSimulation
	@$(E2E)/launch io.imexagent.e2e.Tools bench-nodes-file

bench-page: ## the controller's page in a browser, over 10,000 nodes (needs chromium)
	@$(MAKE) --no-print-directory $(READY) >&2
	@$(E2E)/launch io.imexagent.e2e.Tools bench-page

pictures: $(JAR) ## the pictures of the controller's page in docs/images (needs chromium)
	@$(E2E)/launch io.imexagent.e2e.Tools pictures docs/images

format: ## format all sources
	$(MVN) -q spotless:apply

docs: ## write the generated references
	$(MVN) -q test -Dexec.skip -pl agent -am -Ddocs.regenerate=true -Dtest='*ReferenceTest' -Dsurefire.failIfNoSpecifiedTests=false
	docs/modules.sh --write

clean: ## remove what was built
	$(MVN) -q clean
