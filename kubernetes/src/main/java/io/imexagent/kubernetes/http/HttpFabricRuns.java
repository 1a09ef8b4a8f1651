package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.UnreadableException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;

/** The objects of runs of the fabric test, accessed with the rights of the user who runs it. */
public final class HttpFabricRuns extends HttpApi implements FabricRuns {

    private static final Resource.Group BATCH = new Resource.Group("batch", "v1");
    private static final Resource.Group NETWORKING = new Resource.Group("networking.k8s.io", "v1");

    private static final String LABELS = "metadata.labels";
    private static final String ANNOTATIONS = "metadata.annotations";

    /** The label that the Job controller sets on the pods of an Indexed Job, since Kubernetes 1.28. */
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";

    private static final String ENDED = "status.containerStatuses[].state.terminated.message";

    /** Reasons that state only that a container has exited, and not why. */
    private static final Set<String> EXITS = Set.of("Completed", "Error");

    /** In bytes, a message of 4 KiB in which every character is escaped. */
    private static final int LONGEST_MESSAGE = 24 << 10;

    private static final int LONGEST_WORDS = 8 << 10;
    private static final int AT_ONCE = 8;

    private static final Decoder<RunMark> MARK = new Decoder<>(
            FieldSelection.ofObject()
                    .note(LABELS, RUN_LABEL)
                    .note(LABELS, CLIQUE_LABEL)
                    .note(ANNOTATIONS, BY)
                    .note(ANNOTATIONS, UNTIL),
            object -> new RunMark(
                    object.ref(),
                    object.deleting(),
                    object.text(LABELS + "." + RUN_LABEL),
                    object.text(LABELS + "." + CLIQUE_LABEL),
                    object.text(ANNOTATIONS + "." + BY),
                    until(object)));

    private static final Decoder<RunPod> POD = new Decoder<>(
            FieldSelection.ofObject(
                            "spec.nodeName",
                            "status.phase,reason,message",
                            "metadata.ownerReferences[].uid,controller",
                            ENDED,
                            "status.containerStatuses[].state.waiting.reason,message",
                            "status.containerStatuses[].state.terminated.reason")
                    .note(LABELS, INDEX)
                    .longest(LONGEST_WORDS, "status.message")
                    .longest(LONGEST_MESSAGE, ENDED)
                    .longest(LONGEST_WORDS, "status.containerStatuses[].state.waiting.message"),
            pod -> new RunPod(
                    pod.ref(),
                    pod.each("metadata.ownerReferences").stream()
                            .filter(owner -> owner.isTrue("controller"))
                            .map(owner -> owner.text("uid"))
                            .findFirst()
                            .orElse(""),
                    index(pod.text(LABELS + "." + INDEX)),
                    pod.text("spec.nodeName"),
                    pod.text("status.phase"),
                    first(pod, "state.terminated.message"),
                    first(pod, "state.waiting.message")
                            .or(() -> first(pod, "state.waiting.reason"))
                            .or(() -> first(pod, "state.terminated.reason").filter(reason -> !EXITS.contains(reason)))
                            .or(() -> pod.given("status.message"))
                            .or(() -> pod.given("status.reason"))));

    private static final Decoder<PodEvent> EVENT = new Decoder<>(
            FieldSelection.ofObject("type", "message", "lastTimestamp", "eventTime", "metadata.creationTimestamp")
                    .longest(LONGEST_WORDS, "message"),
            event -> new PodEvent(
                    event.text("type").equals("Warning"),
                    event.text("message"),
                    event.given("lastTimestamp")
                            .or(() -> event.given("eventTime"))
                            .orElse(event.text("metadata.creationTimestamp"))));

    private static final Decoder<Optional<RankProgress>> PROGRESS = new Decoder<>(
            FieldSelection.of("round", "of"),
            line -> line.whole("round").isPresent()
                    ? Optional.of(new RankProgress(line.whole("round", 0), line.whole("of", 0)))
                    : Optional.empty());

    private record PodEvent(boolean warning, String message, String at) {}

    private final Resource<RunPod> pods;
    private final Resource<PodEvent> podEvents;
    private final Resource<RunMark> domains;
    private final Resource<RunMark> jobs;
    private final Resource<Stored<NvlinkNode>> nvlinkNodes;
    private final Map<RunObject, Resource<String>> kinds = new EnumMap<>(RunObject.class);

    /**
     * Creates a client with the name {@code userAgent} in the audit log; {@code random} returns numbers in 0 … 1, which
     * spread its pauses.
     */
    public HttpFabricRuns(
            ClusterAccess access, String userAgent, InstantSource clock, DoubleSupplier random, ApiObserver observer) {
        RateLimiter limiter = RateLimiter.unpaced(AT_ONCE);
        super(
                new Transport(Caller.FABRIC_TEST, access, userAgent, clock, observer),
                random,
                limiter,
                limiter,
                limiter,
                Caller.FABRIC_TEST.text(),
                Optional.empty());
        this.pods = new Resource<>(transport, calls, Resource.CORE, "Pod", POD);
        this.podEvents = new Resource<>(transport, calls, Resource.CORE, "Event", EVENT);
        this.domains = new Resource<>(transport, calls, Resource.COMPUTE_DOMAINS, "ComputeDomain", MARK);
        this.jobs = new Resource<>(transport, calls, BATCH, "Job", MARK);
        this.nvlinkNodes = new Resource<>(transport, calls, Resource.FABRIC, "NVLinkNode", HttpFabric.NODE);
        for (RunObject kind : RunObject.values()) {
            kinds.put(
                    kind,
                    new Resource<>(
                            transport,
                            calls,
                            group(kind),
                            kind.kind(),
                            new Decoder<>(
                                    FieldSelection.of("metadata.uid"), object -> object.required("metadata.uid"))));
        }
    }

    private static Resource.Group group(RunObject kind) {
        return switch (kind) {
            case JOB -> BATCH;
            case NETWORK_POLICY -> NETWORKING;
            case SERVICE, SECRET -> Resource.CORE;
            case CLAIM_TEMPLATE -> Resource.DRA;
            case COMPUTE_DOMAIN -> Resource.COMPUTE_DOMAINS;
        };
    }

    private static Optional<Instant> until(FieldValues object) {
        try {
            return object.time(ANNOTATIONS + "." + UNTIL);
        } catch (UnreadableException noTime) {
            return Optional.empty();
        }
    }

    private static int index(String label) {
        return label.matches("[0-9]{1,6}") ? Integer.parseInt(label) : -1;
    }

    private static Optional<String> first(FieldValues pod, String field) {
        return pod.each("status.containerStatuses").stream()
                .flatMap(container -> container.given(field).stream())
                .findFirst();
    }

    private Resource<String> resource(RunObject kind) {
        return Objects.requireNonNull(kinds.get(kind));
    }

    @Override
    public Optional<Duration> serverAhead() {
        return transport.serverAhead();
    }

    @Override
    public List<Stored<NvlinkNode>> nodes() throws ApiException {
        return Collection.everywhere(nvlinkNodes).all();
    }

    @Override
    public List<RunMark> runs() throws ApiException {
        return Collection.selected(domains, "ComputeDomains of fabric tests", "labelSelector", RUN_LABEL)
                .all();
    }

    @Override
    public Optional<RunMark> job(String namespace, String name) throws ApiException {
        return jobs.get(namespace, name);
    }

    @Override
    public String create(RunObject kind, ObjectNode object) throws ApiException {
        return resource(kind)
                .create(
                        object.at("/metadata/namespace").asText(),
                        object.at("/metadata/name").asText(),
                        object);
    }

    @Override
    public void delete(RunObject kind, String namespace, String name, Optional<String> uid) throws ApiException {
        // The server's default for Jobs, kept for compatibility, is to leave the pods.
        ObjectNode options = Resource.CORE.object("DeleteOptions").put("propagationPolicy", "Background");
        uid.ifPresent(only -> options.putObject("preconditions").put("uid", only));
        resource(kind).delete(namespace, name, options);
    }

    @Override
    public List<RunPod> pods(String namespace, String run) throws ApiException {
        return Collection.labelled(namespace, pods, "pods of the fabric test", RUN_LABEL + "=" + run)
                .all();
    }

    @Override
    public Optional<String> warning(RunPod pod) throws ApiException {
        String selector =
                "involvedObject.kind=Pod,involvedObject.name=" + pod.ref().name();
        return Collection.in(pod.ref().namespace(), podEvents, "Events of a pod", selector).all().stream()
                .filter(PodEvent::warning)
                .max(Comparator.comparing(PodEvent::at))
                .map(PodEvent::message);
    }

    @Override
    public Optional<RankProgress> progress(RunPod pod) throws ApiException {
        try {
            return pods.reading(PROGRESS)
                    .read(pod.ref().namespace(), pod.ref().name(), "/log?tailLines=1")
                    .flatMap(line -> line);
        } catch (ApiException e) {
            if (e.failure().kind() == ApiFailure.FailureKind.UNREADABLE) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
