package io.imexagent.agent.cli;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.DurationText;
import io.imexagent.core.claim.DnsName;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.fabric.result.FabricDocument;
import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.run.FabricRun;
import io.imexagent.fabric.run.RunManifest;
import io.imexagent.fabric.run.RunRecord;
import io.imexagent.fabric.run.RunRefusedException;
import io.imexagent.fabric.run.RunRequest;
import io.imexagent.fabric.run.RunRequest.GpuRequest;
import io.imexagent.fabric.run.RunTarget;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.kubernetes.clique.RecordedRun;
import io.imexagent.kubernetes.http.HttpFabricRuns;
import io.imexagent.log.LogLevel;
import io.imexagent.log.Logging;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.PositionalParamSpec;

/** {@code imex-agent fabric test}: imports between nodes of a clique, by pods that the command creates and deletes. */
record FabricTestCommand(Collaborators collaborators) {

    private static final String CLIQUE = "--clique";
    private static final String IMAGE = "--image";
    private static final String NAMESPACE = "--namespace";
    private static final String GPU_RESOURCE = "--gpu-resource";
    private static final String GPU_CLASS = "--gpu-class";
    private static final String GPUS = "--gpus";
    private static final String RUNTIME_CLASS = "--runtime-class";
    private static final String LEVEL = "--level";
    private static final String TIMEOUT = "--timeout";
    private static final String PRINT = "--print";
    private static final String RECORD = "--record";

    private static final String DEFAULT_RESOURCE = "nvidia.com/gpu";
    private static final String DEFAULT_NAMESPACE = "default";
    private static final int MOST_GPUS = 16;
    private static final Duration USUAL = Duration.ofMinutes(10);
    private static final Duration SHORTEST = Duration.ofSeconds(30);
    private static final Duration LONGEST = Duration.ofHours(2);
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** Clocks that NTP synchronizes differ by less, even after a slow response of the API server. */
    private static final Duration CLOSE = Duration.ofSeconds(30);

    /** Longer than deleting the objects of a run takes. */
    private static final Duration CLEAN_UP = Duration.ofSeconds(60);

    private static final int TOKEN_BYTES = 32;
    private static final int ID_BYTES = 6;

    /** The part of a resource's name after its domain. */
    private static final Pattern RESOURCE_NAME = Pattern.compile("[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?");

    private static final Pattern IMAGE_NAME = Pattern.compile("[A-Za-z0-9][-._:/@A-Za-z0-9]{0,511}");

    Command command() {
        var spec = KubeconfigChoice.addTo(Command.printing(
                        "test",
                        "Prove that GPU memory of each node of an NVLink clique can be imported on each other: starts a pod"
                                + " on each, with a ComputeDomain of its own, and takes all of it away afterwards.",
                        "Without nodes it tests all of the clique. It needs a free GPU on each, and with imex.isolation None"
                                + " also channel 0."))
                .addPositional(PositionalParamSpec.builder()
                        .index("0..*")
                        .arity("0..*")
                        .type(String[].class)
                        .auxiliaryTypes(String.class)
                        .paramLabel("NODE")
                        .description("The nodes to test. Default: all of the clique.")
                        .build())
                .addOption(GlobalOptions.text(
                        CLIQUE, "CLIQUE", "The clique. Default: that of the nodes, or the only one of the cluster."))
                .addOption(GlobalOptions.text(IMAGE, "IMAGE", "The image of imex-agent, as nodes pull it. Required."))
                .addOption(GlobalOptions.text(
                        NAMESPACE, "NAMESPACE", "Where the pods run. Default: " + DEFAULT_NAMESPACE + "."))
                .addOption(GlobalOptions.text(
                        GPU_RESOURCE,
                        "RESOURCE",
                        "The device plugin's resource of GPUs. Default: " + DEFAULT_RESOURCE + "."))
                .addOption(GlobalOptions.text(
                        GPU_CLASS,
                        "CLASS",
                        "The DeviceClass of GPUs, such as gpu.nvidia.com, where they are claimed by DRA."))
                .addOption(GlobalOptions.value(GPUS, Integer.class, "COUNT", "GPUs of each pod. Default: 1."))
                .addOption(GlobalOptions.text(
                        RUNTIME_CLASS,
                        "CLASS",
                        "The RuntimeClass that injects the driver, such as nvidia. Default: the nodes' default."))
                .addOption(GlobalOptions.choice(
                        FabricLevel.class,
                        "LEVEL",
                        "How far imports go: ${COMPLETION-CANDIDATES}. Default: map.",
                        LEVEL))
                .addOption(
                        GlobalOptions.text(TIMEOUT, "DURATION", "How long the run may last, 30s to 2h. Default: 10m."))
                .addOption(GlobalOptions.toggle(
                        "Record the result in the FabricTest of the clique, for the racks page, metrics and an alert.",
                        RECORD))
                .addOption(GlobalOptions.toggle(
                        "Print the objects, with a fresh token, for kubectl create -f -; start nothing.", PRINT));
        return Command.configured(spec, this::run);
    }

    private ExitCode run(Invocation invocation, AgentConfig config) throws Exception {
        // The command reports failed calls once, as its own failure.
        Logging.ofCommand(LogLevel.ERROR);
        String image = named(invocation, IMAGE, IMAGE_NAME.asMatchPredicate())
                .orElseThrow(
                        () -> invocation.wrong("name the image of imex-agent as the nodes pull it, with " + IMAGE));
        String namespace = named(invocation, NAMESPACE, DnsName::isLabel).orElse(DEFAULT_NAMESPACE);
        GpuRequest gpus = gpus(invocation);
        Duration timeout = timeout(invocation);
        Optional<CliqueId> clique = clique(invocation);
        try (FabricRuns cluster = open(invocation, config)) {
            RunTarget target = RunTarget.of(cluster.nodes(), clique, named(invocation));
            InstantSource clock = clock(invocation, cluster);
            RunRequest request = request(invocation, target, clock.instant(), namespace, image, gpus, timeout);
            String token = random(TOKEN_BYTES);
            if (invocation.has(PRINT)) {
                List<JsonNode> objects = List.copyOf(new RunManifest(request).objects(token));
                invocation.out().print(objects.stream().map(Documents::object).collect(Collectors.joining("---\n")));
                return ExitCode.OK;
            }
            if (invocation.has(RECORD)) {
                RunRecord.require(cluster, request);
            }
            var run = new FabricRun(
                    cluster,
                    request,
                    target,
                    clock,
                    PAUSE,
                    line -> invocation.surroundings().err().println(line));
            FabricResult result = untilSignal(run, token);
            ExitCode code = published(invocation, result);
            if (!invocation.has(RECORD)) {
                return code;
            }
            if (!result.tried()) {
                invocation.warn("the run is not recorded: no import was tried");
                return code;
            }
            return recorded(invocation, cluster, RunRecord.of(request, target, result), target)
                    ? code
                    : ExitCode.FAILED;
        } catch (ApiException e) {
            throw new IOException(e.failure().message(), e);
        } catch (IllegalArgumentException | RunRefusedException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Records the run; on failure prints the remedy and returns false. */
    private static boolean recorded(Invocation invocation, FabricRuns cluster, RecordedRun run, RunTarget target) {
        try {
            cluster.fabric().record(target.clique(), run);
            return true;
        } catch (ApiException e) {
            invocation.warn("the run is not recorded: " + e.failure().message()
                    + (e.failure().kind() == FailureKind.NOT_FOUND
                            ? "; apply what imex-agent manifests prints, which defines FabricTests"
                            : "; whoever records needs the role imex-fabric-test-recorder"));
            return false;
        }
    }

    /** Prints the result, and returns the exit code for it. */
    private static ExitCode published(Invocation invocation, FabricResult result) {
        invocation.print(result.at(), screen -> FabricDocument.text(result, screen), () -> FabricDocument.of(result));
        return switch (result.verdict()) {
            case PROVEN -> ExitCode.OK;
            case PARTLY_PROVEN -> ExitCode.WARNINGS;
            case FAILED -> ExitCode.FAILED;
        };
    }

    private FabricRuns open(Invocation invocation, AgentConfig config) throws IOException {
        ThisProcess process = collaborators.process();
        return new HttpFabricRuns(
                KubeconfigChoice.announced(invocation, config),
                "imex-fabric-test/" + process.version(),
                process.clock(),
                process.random(),
                ApiObserver.NONE);
    }

    private static List<String> named(Invocation invocation) {
        return invocation.chain().getFirst().matchedPositionals().stream()
                .flatMap(node -> node.stringValues().stream())
                .toList();
    }

    /** The option's value; throws if it does not have the given form of a name. */
    private static Optional<String> named(Invocation invocation, String option, Predicate<String> form) {
        Optional<String> value = invocation.option(option, String.class);
        value.filter(form.negate()).ifPresent(text -> {
            throw invocation.wrong(option + ": '" + text + "' is no such name");
        });
        return value;
    }

    private static boolean isResource(String text) {
        int slash = text.indexOf('/');
        return slash > 0
                && DnsName.isSubdomain(text.substring(0, slash))
                && RESOURCE_NAME.matcher(text.substring(slash + 1)).matches();
    }

    private static Optional<CliqueId> clique(Invocation invocation) {
        try {
            return invocation.option(CLIQUE, String.class).map(CliqueId::new);
        } catch (IllegalArgumentException e) {
            throw invocation.wrong(CLIQUE + ": " + e.getMessage());
        }
    }

    /**
     * The clock of the run. Other runs compare it to decide whether this run is over, and pages show the age of its
     * result. It is this machine's clock, or the API server's if the two differ.
     */
    private InstantSource clock(Invocation invocation, FabricRuns cluster) {
        InstantSource own = collaborators.process().clock();
        Duration ahead = cluster.serverAhead().orElse(Duration.ZERO);
        if (ahead.abs().compareTo(CLOSE) <= 0) {
            return own;
        }
        invocation.warn("the clock of this machine is " + ahead.abs().toSeconds() + " s "
                + (ahead.isPositive() ? "behind" : "ahead of") + " the API server's, whose time the run takes; set it");
        return InstantSource.offset(own, ahead);
    }

    private RunRequest request(
            Invocation invocation,
            RunTarget target,
            Instant at,
            String namespace,
            String image,
            GpuRequest gpus,
            Duration timeout) {
        ThisProcess process = collaborators.process();
        String user = process.environment().getOrDefault("USER", "an unnamed user");
        String host = process.environment().getOrDefault("HOSTNAME", "");
        return new RunRequest(
                random(ID_BYTES),
                host.isEmpty() ? user : user + "@" + host,
                at,
                namespace,
                target.clique(),
                target.names(),
                image,
                gpus,
                invocation.option(LEVEL, FabricLevel.class).orElse(FabricLevel.MAP),
                timeout,
                named(invocation, RUNTIME_CLASS, DnsName::isSubdomain));
    }

    private static GpuRequest gpus(Invocation invocation) {
        int count = invocation.option(GPUS, Integer.class).orElse(1);
        if (count < 1 || count > MOST_GPUS) {
            throw invocation.wrong(GPUS + " is 1 to " + MOST_GPUS + ", not " + count);
        }
        Optional<String> resource = named(invocation, GPU_RESOURCE, FabricTestCommand::isResource);
        Optional<String> deviceClass = named(invocation, GPU_CLASS, DnsName::isSubdomain);
        if (resource.isPresent() && deviceClass.isPresent()) {
            throw invocation.wrong("GPUs come by " + GPU_RESOURCE + " or by " + GPU_CLASS + ", not by both");
        }
        return deviceClass
                .<GpuRequest>map(name -> new GpuRequest.GpuClass(name, count))
                .orElseGet(() -> new GpuRequest.GpuResource(resource.orElse(DEFAULT_RESOURCE), count));
    }

    private static Duration timeout(Invocation invocation) {
        Optional<String> text = invocation.option(TIMEOUT, String.class);
        return text.isEmpty()
                ? USUAL
                : DurationText.parse(text.get())
                        .filter(time -> time.compareTo(SHORTEST) >= 0 && time.compareTo(LONGEST) <= 0)
                        .orElseThrow(() -> invocation.wrong(TIMEOUT + " is 30s to 2h, not " + text.get()));
    }

    private static String random(int bytes) {
        byte[] drawn = new byte[bytes];
        new SecureRandom().nextBytes(drawn);
        return HexFormat.of().formatHex(drawn);
    }

    /** Performs the run. A signal that ends the process interrupts the run, and waits until its objects are deleted. */
    private static FabricResult untilSignal(FabricRun run, String token) throws Exception {
        Thread running = Thread.currentThread();
        var ended = new CountDownLatch(1);
        var hook = new Thread(
                () -> {
                    running.interrupt();
                    try {
                        boolean _ = ended.await(CLEAN_UP.toSeconds(), TimeUnit.SECONDS);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "fabric-signal");
        Runtime.getRuntime().addShutdownHook(hook);
        try {
            return run.run(token);
        } catch (InterruptedException signal) {
            run.progress().accept("ended by a signal, and what the run made is deleted");
            throw signal;
        } finally {
            ended.countDown();
            removed(hook);
        }
    }

    /** Removes the hook, unless the process is already ending. */
    private static void removed(Thread hook) {
        try {
            boolean _ = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            // The signal has arrived.
        }
    }
}
