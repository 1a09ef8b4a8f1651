package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimRequest;
import io.imexagent.dra.claim.ClaimService.PrepareObserver;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.driver.DriverClaims;
import io.imexagent.files.FileFault;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.bind.OwnChannels;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.imex.mode.ServingMode;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.prepare.UserNamespaces;
import io.imexagent.imex.probe.ChannelNodes;
import io.imexagent.imex.probe.DeviceStat;
import io.imexagent.imex.probe.InventorySource;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.Pods;
import io.imexagent.log.Logging;
import io.imexagent.worker.UntilCompiled;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares and unprepares an invented claim, with real files in a folder of the state directory, right after the
 * sockets are open, so that the first pods do not wait for the loading and compilation of classes. Metrics, the kubelet
 * and the cluster do not notice it, and a failure only makes the first calls slower. docs/performance.md has the time
 * saved.
 */
final class Rehearsal {

    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final String NODE = Logging.REHEARSAL;
    private static final String UID = "00000000-0000-4000-8000-000000000001";
    private static final String DOMAIN = "00000000-0000-4000-8000-000000000002";
    private static final String POD = "00000000-0000-4000-8000-000000000003";
    private static final String STATUS = """
        {"allocation":{"devices":{"results":[{"request":"channel","driver":"compute-domain.nvidia.com",\
        "pool":"rehearsal","device":"channel-0"}],"config":[{"source":"FromClaim","requests":["channel"],\
        "opaque":{"driver":"compute-domain.nvidia.com","parameters":{"allocationMode":"Single",\
        "apiVersion":"resource.nvidia.com/v1beta1","domainID":"00000000-0000-4000-8000-000000000002",\
        "kind":"ComputeDomainChannelConfig"}}}]},"nodeSelector":{"nodeSelectorTerms":[{"matchFields":[\
        {"key":"metadata.name","operator":"In","values":["rehearsal"]}]}]},\
        "allocationTimestamp":"2026-01-01T00:00:00Z"},"reservedFor":[{"resource":"pods","name":"rehearsal",\
        "uid":"00000000-0000-4000-8000-000000000003"}]}\
        """;
    private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);

    private Rehearsal() {}

    /** Rehearses on the current thread, which is renamed for good; returns whether the rehearsal succeeded. */
    static boolean run(AgentConfig config, ThisProcess process) {
        Thread.currentThread().setName(Logging.REHEARSAL);
        Path scratch = config.stateDirectory().resolve("rehearsal");
        try {
            clear(scratch);
            Files.createDirectories(scratch);
            rehearse(scratch, process);
            clear(scratch);
            return true;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (IOException failure) {
            LOG.warn(
                    "rehearsal failed, the first claim will be slow folder={} reason=\"{}\"",
                    scratch,
                    FileFault.reason(failure));
        }
        return false;
    }

    private static void rehearse(Path scratch, ThisProcess process) throws IOException, InterruptedException {
        var node = new RehearsedNode(inventory(process));
        var driver = new ChannelRules(
                        new RehearsedDomains(),
                        node,
                        new ServingPolicy(NODE, Isolation.NONE, false),
                        OwnChannels.NONE,
                        new UserNamespaces(
                                Rehearsal::pod,
                                () -> true,
                                new ChannelNodes(scratch, DeviceStat.OF_FILES),
                                process.nanoTime()),
                        process.nanoTime())
                .driver(NODE, new ModeGuard(new ModeFile(scratch), ServingMode.HOST_MANAGED_NONE));
        var host = new ClaimHost(
                scratch,
                scratch,
                scratch,
                scratch.resolve("cdi"),
                LIMIT,
                FileSteps.ALL_PASS,
                EffectListener.NONE,
                WorkerObserver.NONE,
                process.clock(),
                process.nanoTime(),
                process.random());
        Claims api = Rehearsal::claim;
        var settings = PrepareSettings.answeringWithin(LIMIT);
        try (var claims = new DriverClaims<>(driver, host, api, api, settings, PrepareObserver.NONE)) {
            var _ = claims.recover(node.current().bootId());
            List<ClaimRequest> request = List.of(new ClaimRequest(NODE, NODE, UID));
            UntilCompiled.repeat(process.nanoTime(), () -> {
                require(claims.service().prepare(request, LIMIT).get());
                require(claims.service().unprepare(request).get());
            });
        }
    }

    private static Optional<Pods.PodObject> pod(String namespace, String name) {
        return Optional.of(new Pods.PodObject(POD, false, true, Map.of()));
    }

    /** Throws if a call was refused, since it then ended before the whole path was compiled. */
    private static <A> void require(Map<String, Outcome<A>> answers) throws IOException, InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("stopping");
        }
        Optional<Refusal> refusal = answers.values().iterator().next().refusal();
        if (refusal.isPresent()) {
            throw new IOException("the rehearsal was refused: " + refusal.get().answer());
        }
    }

    private static Optional<Claims.ClaimObject> claim(ClaimName name) {
        return Optional.of(
                new Claims.ClaimObject(name, UID, false, Map.of(), new Claims.ClaimStatusText.WholeStatus(STATUS)));
    }

    private static void clear(Path scratch) throws IOException {
        if (!Files.exists(scratch)) {
            return;
        }
        try (Stream<Path> files = Files.walk(scratch)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static final class RehearsedDomains implements ComputeDomains {

        @Override
        public Optional<DomainRef> named(String namespace, String name) {
            return Optional.of(new DomainRef(new ComputeDomainUid(DOMAIN), NODE, NODE, false));
        }

        @Override
        public Optional<DomainRef> in(String namespace, ComputeDomainUid uid) {
            return named(namespace, NODE);
        }
    }

    private static NodeInventory inventory(ThisProcess process) {
        return new NodeInventory(
                process.clock().instant(),
                new DriverState.FailingDriver(NODE),
                List.of(),
                new CliqueState.KnownClique(new CliqueId("00000000-0000-0000-0000-000000000001.0")),
                new ChannelMajor.RegisteredMajor(1),
                OptionalInt.empty(),
                new ChannelNode.AbsentNode(),
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    private record RehearsedNode(NodeInventory current) implements InventorySource {

        @Override
        public void onChange(Consumer<NodeInventory> listener) {
            // The inventory never changes.
        }
    }
}
