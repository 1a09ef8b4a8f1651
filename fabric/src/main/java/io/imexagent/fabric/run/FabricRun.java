package io.imexagent.fabric.run;

import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.NodeEvidence;
import io.imexagent.fabric.result.NodeEvidence.PodRow;
import io.imexagent.fabric.result.NodeEvidence.RequestedRun;
import io.imexagent.fabric.result.RankRow;
import io.imexagent.fabric.result.RowText;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.kubernetes.FabricRuns.RankProgress;
import io.imexagent.kubernetes.FabricRuns.RunPod;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run: it creates the objects, follows the pods, and always deletes the objects at the end. {@code pause} is the
 * time between two reads of the pods; {@code progress} receives lines for people.
 */
public record FabricRun(
        FabricRuns cluster,
        RunRequest run,
        RunTarget target,
        InstantSource clock,
        Duration pause,
        Consumer<String> progress) {

    private static final int LONGEST_WORDS = 400;

    /** The most attempts of a read that the result does not require. */
    private static final int TRIES = 5;

    private static final Logger LOG = LoggerFactory.getLogger(FabricRun.class);

    /**
     * Runs the test with this token.
     *
     * @throws RunRefusedException if another run is under way in the clique
     * @throws ApiException if the objects cannot be created or the pods cannot be read
     */
    public FabricResult run(String token) throws RunRefusedException, ApiException, InterruptedException {
        var objects = new RunObjects(cluster, run, clock, progress);
        try {
            objects.begin();
            objects.create(token);
            List<RunPod> pods = follow(objects.job());
            var requested =
                    new RequestedRun(run.id(), run.level().word(), run.gpus().count());
            List<NodeEvidence> evidence = NodeEvidence.of(requested, target.tested(), rows(pods), unplaced(pods));
            return result(evidence);
        } finally {
            objects.deleteAll();
        }
    }

    private FabricResult result(List<NodeEvidence> evidence) throws InterruptedException {
        var name = new FabricResult.FabricRunName(
                run.id(), run.namespace(), run.clique().text(), run.level().word());
        List<Stored<NvlinkNode>> after;
        try {
            after = read(cluster::nodes);
        } catch (ApiException e) {
            // The results of the ranks are still useful.
            return FabricResult.of(name, clock.instant(), evidence, target.status())
                    .unchecked(e.failure().message());
        }
        return FabricResult.of(
                name,
                clock.instant(),
                NodeEvidence.unchanged(evidence, target.later(after).tested()),
                target.status());
    }

    private interface ApiRead<T> {
        T read() throws ApiException;
    }

    /**
     * Reads from the API server; tries at most {@value #TRIES} times until the run is over, and doubles the pause each
     * time. A refusal is not tried again.
     */
    private <T> T read(ApiRead<T> read) throws ApiException, InterruptedException {
        Duration next = pause;
        for (int left = TRIES - 1; ; left--) {
            try {
                return read.read();
            } catch (ApiException e) {
                if (left == 0
                        || e.failure().kind().isRefusal()
                        || clock.instant().isAfter(run.until())) {
                    throw e;
                }
                progress.accept(e.failure().message());
                Thread.sleep(next);
                next = next.multipliedBy(2);
            }
        }
    }

    /** Reads the pods of the Job until all have ended, or the time for the rest of them is over. */
    private List<RunPod> follow(String job) throws ApiException, InterruptedException {
        Instant gathered = run.at().plus(run.gather());
        Instant end = run.at().plus(run.timeout());
        String reported = "";
        Optional<List<RunPod>> last = Optional.empty();
        while (true) {
            Instant now = clock.instant();
            List<RunPod> pods;
            try {
                pods = cluster.pods(run.namespace(), run.id()).stream()
                        .filter(pod -> pod.controller().equals(job))
                        .toList();
                last = Optional.of(pods);
            } catch (ApiException e) {
                progress.accept(e.failure().message());
                if (e.failure().kind().isRefusal() || now.isAfter(end)) {
                    // The results of some ranks are still useful.
                    return last.orElseThrow(() -> e);
                }
                Thread.sleep(pause);
                continue;
            }
            boolean started = pods.size() >= run.nodes().size() && pods.stream().noneMatch(RunPod::pending);
            boolean ended = pods.stream().allMatch(pod -> pod.ended() || pod.pending());
            if (ended && (started || now.isAfter(gathered))) {
                return pods;
            }
            if (now.isAfter(end)) {
                progress.accept("the time of the run is over: --timeout is "
                        + run.timeout().toSeconds() + " s");
                return pods;
            }
            String words = words(pods);
            if (!words.equals(reported)) {
                progress.accept(words);
                reported = words;
            }
            Thread.sleep(pause);
        }
    }

    private String words(List<RunPod> pods) {
        int nodes = run.nodes().size();
        long pending = nodes - pods.stream().filter(pod -> !pod.pending()).count();
        long ended = pods.stream().filter(RunPod::ended).count();
        if (pending > 0) {
            return "waiting for pods: " + (nodes - pending) + " of " + nodes + " have started";
        }
        Optional<RunPod> running =
                pods.stream().filter(pod -> !pod.ended()).min(Comparator.comparingInt(RunPod::index));
        Optional<RankProgress> rounds = running.flatMap(this::rounds);
        return "all " + nodes + " pods have started; "
                + rounds.map(at -> "rank " + running.get().index() + " has done " + at.round() + " of " + at.of()
                                + " rounds; ")
                        .orElse("")
                + ended + " ranks are done";
    }

    /** Returns the finished rounds of a rank; empty if its log cannot be read, which does not affect the run. */
    private Optional<RankProgress> rounds(RunPod pod) {
        try {
            return cluster.progress(pod);
        } catch (ApiException e) {
            LOG.debug("{}", e.failure().message());
            return Optional.empty();
        }
    }

    private List<PodRow> rows(List<RunPod> pods) throws InterruptedException {
        List<PodRow> rows = new ArrayList<>();
        for (RunPod pod : pods) {
            if (!pod.node().isEmpty()) {
                rows.add(row(pod));
            }
        }
        return rows;
    }

    private PodRow row(RunPod pod) throws InterruptedException {
        Optional<RankRow> row = Optional.empty();
        String reason;
        if (pod.pending()) {
            reason = "its pod did not start: " + words(pod);
        } else if (!pod.ended()) {
            reason = "its rank did not end in the time of the run";
        } else if (pod.message().isEmpty()) {
            reason = "its pod " + pod.phase().toLowerCase(Locale.ROOT) + " without leaving a row: " + words(pod);
        } else {
            reason = "";
            try {
                row = Optional.of(RowText.parse(pod.message().get()));
            } catch (IOException e) {
                reason = "its pod left a message that is no row (" + e.getMessage() + "): "
                        + plain(pod.message().get());
            }
        }
        return new PodRow(pod.node(), pod.index(), row, reason);
    }

    /** Returns why nodes have no pod, by the message about a pod that was not placed. */
    private String unplaced(List<RunPod> pods) throws InterruptedException {
        Optional<RunPod> waiting =
                pods.stream().filter(pod -> pod.node().isEmpty()).findFirst();
        return waiting.isEmpty()
                ? "no pod of the run was started on it"
                : "no pod of the run was placed on it: " + words(waiting.get());
    }

    private String words(RunPod pod) throws InterruptedException {
        String none = "there is no Event that says why";
        Optional<String> warning = Optional.empty();
        try {
            warning = read(() -> cluster.warning(pod));
        } catch (ApiException e) {
            none = "its Events cannot be read: " + e.failure().message();
        }
        return warning.or(pod::hindrance).map(FabricRun::plain).orElse(none);
    }

    /** Cleans and shortens foreign text, so that it can be part of a sentence. */
    static String plain(String words) {
        String line = words.strip().replaceAll("[^ -~]+", " ");
        return line.length() <= LONGEST_WORDS ? line : line.substring(0, LONGEST_WORDS - 1) + "~";
    }
}
