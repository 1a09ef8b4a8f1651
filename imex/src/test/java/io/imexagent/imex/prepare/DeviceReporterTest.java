package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.DeviceReports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is reported of prepared claims, when, and how often. */
class DeviceReporterTest {

    private static final Duration MOMENT = Duration.ofSeconds(3);

    @TempDir
    Path folder;

    private final FakeReports reports = new FakeReports();

    /** The API server's side, with failures on demand. */
    private static final class FakeReports implements DeviceReports {

        final List<String> calls = new CopyOnWriteArrayList<>();
        final List<Long> times = new CopyOnWriteArrayList<>();
        final Map<String, List<DeviceReport>> reported = new ConcurrentHashMap<>();
        final Map<String, ApiFailure> broken = new ConcurrentHashMap<>();
        volatile CountDownLatch gate = new CountDownLatch(0);

        @Override
        public void report(ClaimName claim, String uid, List<DeviceReport> devices) throws ApiException {
            calls.add(claim.name());
            times.add(System.nanoTime());
            try {
                gate.await();
            } catch (InterruptedException ends) {
                Thread.currentThread().interrupt();
            }
            Optional<ApiFailure> failure =
                    Optional.ofNullable(broken.get(claim.name())).or(() -> Optional.ofNullable(broken.get("")));
            if (failure.isPresent()) {
                throw new ApiException(failure.get());
            }
            reported.put(claim.name(), devices);
        }
    }

    /** Lets time pass, and the reporter see it. */
    private void pass(Node node, Duration by) {
        node.time.advance(by);
        node.reporter().wake();
    }

    private Node started(Node.Builder builder) throws Exception {
        Node node = builder.reporting(reports).start();
        node.reporter().start();
        return node;
    }

    private static ClaimRef prepared(Node node, String name) throws Exception {
        ClaimRef claim = node.claim(name);
        assertThat(node.prepare(claim)).isInstanceOf(Outcome.Accepted.class);
        return claim;
    }

    @Test
    void aPreparedClaimIsReportedOnceWithChannelAndClique() throws Exception {
        try (Node node = started(Node.in(folder))) {
            long before = System.nanoTime();
            prepared(node, "a");
            Eventually.holds("reported", () -> reports.reported.containsKey("a"));
            pass(node, Duration.ofHours(1));
            Thread.sleep(100);

            assertThat(reports.calls).containsExactly("a");
            assertThat(reports.times.getFirst() - before)
                    .as("behind the answer, in nanoseconds")
                    .isGreaterThan(Duration.ofSeconds(2).toNanos());
            DeviceReports.DeviceReport report =
                    Optional.ofNullable(reports.reported.get("a")).orElseThrow().getFirst();
            assertThat(report.driver()).isEqualTo("compute-domain.nvidia.com");
            assertThat(report.pool()).isEqualTo(DraSpecimens.NODE);
            assertThat(report.device()).isEqualTo("channel-0");
            assertThat(report.facts().data())
                    .contains(new JsonText("{\"channel\":0,\"clique\":\"" + Inventories.CLIQUE + "\"}"));
        }
    }

    @Test
    void aClaimThatEndsAtOnceIsNotReported() throws Exception {
        try (Node node = started(Node.in(folder))) {
            // On a machine that is busy one may take longer than the rest before a report.
            Eventually.holds("one ends at once", () -> {
                String name = "claim-" + reports.calls.size();
                long before = System.nanoTime();
                node.unprepare(prepared(node, name));
                boolean atOnce =
                        System.nanoTime() - before < Duration.ofSeconds(1).toNanos();
                pass(node, MOMENT);
                Thread.sleep(100);
                assertThat(atOnce && reports.calls.contains(name)).isFalse();
                return atOnce;
            });
        }
    }

    @Test
    void whatIsSaidIsWhatTheNodeHadWhenTheClaimWasPreparedHoweverLongAReportTakes() throws Exception {
        try (Node node = started(Node.in(folder).with(Sharing.DOMAIN))) {
            reports.gate = new CountDownLatch(1);
            prepared(node, "a");
            Eventually.holds("a report is under way", () -> {
                pass(node, MOMENT);
                Thread.sleep(20);
                return reports.calls.contains("a");
            });
            prepared(node, "b");
            node.inventory.set(
                    Inventories.with(node.inventory.current(), new CliqueState.NoClique("the fabric is gone")));

            reports.gate.countDown();
            pass(node, MOMENT);
            Eventually.holds("reported", () -> reports.reported.containsKey("b"));

            assertThat(Optional.ofNullable(reports.reported.get("b"))
                            .orElseThrow()
                            .getFirst()
                            .facts()
                            .data()
                            .orElseThrow()
                            .text())
                    .contains(Inventories.CLIQUE.text());
        }
    }

    @Test
    void aClaimThatEndsAndComesBackDuringAReportIsReportedAgain() throws Exception {
        try (Node node = started(Node.in(folder))) {
            reports.gate = new CountDownLatch(1);
            ClaimRef claim = prepared(node, "a");
            Eventually.holds("a report is under way", () -> {
                pass(node, MOMENT);
                Thread.sleep(20);
                return reports.calls.contains("a");
            });
            node.unprepare(claim);
            prepared(node, "a");
            reports.gate.countDown();

            Eventually.holds("reported again", () -> {
                pass(node, MOMENT);
                Thread.sleep(20);
                return reports.calls.size() == 2;
            });
        }
    }

    @Test
    void aClaimWithoutAChannelSaysSo() {
        var handed = new PreparedDevice.ReturnedDevice(
                List.of("channel"), "tray-1", "channel-0", List.of(), Optional.empty());

        DeviceReports.Facts facts = PreparePlanner.facts(
                new PreparedDevice.Channel(new ChannelId(0), handed), new CliqueState.NoClique("no fabric"));

        assertThat(facts.reason()).isEqualTo("WithoutFabric");
        assertThat(facts.data()).isEmpty();
    }

    @Test
    void afterARestartOnlyWhatWasNotReportedIsReported() throws Exception {
        Node before = Node.in(folder).start();
        ClaimRef told = prepared(before, "told");
        before.unprepare(told);
        prepared(before, "told");
        before.close();
        String status = DraSpecimens.status(DraSpecimens.DOMAIN);
        before.claims.put(
                told,
                status.substring(0, status.lastIndexOf('}'))
                        + ",\"devices\":[{\"driver\":\"compute-domain.nvidia.com\",\"pool\":\"p\",\"device\":\"d\"}]}");
        try (Node _ = started(Node.in(folder).like(before))) {
            Thread.sleep(200);
            assertThat(reports.calls).isEmpty();
        }
        before.claims.put(told, status);
        try (Node _ = started(Node.in(folder).like(before))) {
            Eventually.holds("reported", () -> reports.reported.containsKey("told"));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureKind.class,
            names = {"INVALID", "ADMISSION", "NOT_FOUND", "NO_RELATIONSHIP"})
    void whatIsTheClaimsOwnFaultIsNotTriedAgainAndCostsNoOther(FailureKind kind) throws Exception {
        reports.broken.put("a", FakeClaims.failure(kind, "no"));
        try (Node node = started(Node.in(folder).with(Sharing.DOMAIN))) {
            prepared(node, "a");
            prepared(node, "b");
            pass(node, MOMENT);
            Eventually.holds("reported", () -> reports.reported.containsKey("b"));
            pass(node, Duration.ofHours(1));
            Thread.sleep(100);

            assertThat(reports.calls).containsExactlyInAnyOrder("a", "b");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureKind.class,
            names = {"UNREACHABLE", "TIMEOUT", "THROTTLED", "SERVER_ERROR"})
    void aServerThatIsAwayForHoursLosesNoReport(FailureKind kind) throws Exception {
        reports.broken.put("", FakeClaims.failure(kind, "etcd is away"));
        try (Node node = started(Node.in(folder).with(Sharing.DOMAIN))) {
            prepared(node, "a");
            prepared(node, "b");
            Eventually.holds("asked often", () -> {
                pass(node, Duration.ofMinutes(2));
                Thread.sleep(5);
                return reports.calls.size() > 20;
            });

            reports.broken.clear();
            pass(node, Duration.ofMinutes(2));

            Eventually.holds("reported", () -> reports.reported.size() == 2);
        }
    }

    @Test
    void aClaimAtWhichTheServerFailsHoldsUpNoOther() throws Exception {
        reports.broken.put("a", FakeClaims.failure(FailureKind.SERVER_ERROR, "panic"));
        try (Node node = started(Node.in(folder).with(Sharing.DOMAIN))) {
            for (String name : List.of("a", "b", "c")) {
                prepared(node, name);
            }
            Eventually.holds("reported", () -> {
                pass(node, Duration.ofMinutes(2));
                Thread.sleep(5);
                return reports.reported.keySet().containsAll(List.of("b", "c"));
            });
        }
    }

    @Test
    void aClaimThatChangesAllTheTimeIsTriedAFewTimes() throws Exception {
        reports.broken.put("", FakeClaims.failure(FailureKind.CONFLICT, "faster"));
        try (Node node = started(Node.in(folder))) {
            prepared(node, "a");
            for (int minutes = 0; minutes < 60; minutes++) {
                pass(node, Duration.ofMinutes(2));
                Thread.sleep(10);
            }

            assertThat(reports.calls).hasSize(8);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FailureKind.class,
            names = {"FORBIDDEN", "UNAUTHORIZED", "UNSUPPORTED", "NO_KUBECONFIG"})
    void withoutTheRightTwoClaimsEveryTenMinutesAskWhetherItIsThere(FailureKind kind) throws Exception {
        reports.broken.put("", FakeClaims.failure(kind, "no"));
        try (Node node = started(Node.in(folder).with(Sharing.DOMAIN))) {
            for (String name : List.of("a", "b", "c", "d")) {
                prepared(node, name);
            }
            pass(node, MOMENT);
            Eventually.holds("reported", () -> reports.calls.size() == 2);
            pass(node, Duration.ofMinutes(9));
            Thread.sleep(100);
            assertThat(reports.calls).hasSize(2);

            reports.broken.clear();
            pass(node, Duration.ofMinutes(2));

            Eventually.holds("reported", () -> reports.reported.size() == 4);
        }
    }

    @Test
    void oneClaimThatIsRefusedHoldsUpNoOther() throws Exception {
        reports.broken.put("a", FakeClaims.failure(FailureKind.FORBIDDEN, "not allocated to this node alone"));
        try (Node node = started(Node.in(folder).with(Sharing.DOMAIN))) {
            for (String name : List.of("a", "b", "c")) {
                prepared(node, name);
            }
            pass(node, MOMENT);
            Eventually.holds("reported", () -> reports.reported.keySet().containsAll(List.of("b", "c")));

            assertThat(Optional.ofNullable(reports.reported.get("a"))).isEmpty();
        }
    }
}
