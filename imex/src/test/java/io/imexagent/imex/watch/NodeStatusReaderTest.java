package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.health.ConnectionState;
import io.imexagent.imex.health.DaemonState;
import io.imexagent.imex.health.DomainReport;
import io.imexagent.imex.health.DomainState;
import io.imexagent.imex.health.HealthPlanner;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.ImexReading.Applicability;
import io.imexagent.imex.health.PrintedState;
import io.imexagent.imex.health.QueryResult;
import io.imexagent.imex.health.Readings;
import io.imexagent.imex.health.ReportSpecimens;
import io.imexagent.imex.health.UnitState;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.kubernetes.clique.AgentReport;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeStatusReaderTest {

    private Optional<ImexHealth> health = Optional.empty();
    private Optional<XidHistory> xids = Optional.empty();
    private final NodeStatusReader source =
            new NodeStatusReader(NodeSpecimens::healthy, () -> health, () -> xids, "1.2.3");

    @Test
    void tellsToWhomTheNodeIsConnected() {
        told(local(ReportSpecimens.domain(4, List.of(2), DomainState.DEGRADED), 1));

        assertThat(source.get().peers()).contains("2/3");
        assertThat(source.get().links()).contains(new NodeLinks("10.0.0.2", "10.0.0.1 10.0.0.4", "", "10.0.0.3", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECTED, CONNECTED",
        "NEVER_CONNECTED, LOST",
        "RECOVERING, LOST",
        "DISCONNECTED, LOST",
        "INVALID, LOST",
        "AUTHENTICATING, DEGRADED",
        "VERSION_MISMATCH, DEGRADED",
        "NODE_MAP_MISMATCH, DEGRADED",
        "AUTHENTICATION_ERROR, DEGRADED",
        "BLOCKING_RECOVERY, DEGRADED"
    })
    void everyStateOfAConnectionIsOneOfFour(ConnectionState said, LinkState shown) {
        told(local(ReportSpecimens.with(ReportSpecimens.up(2), 0, 1, said), 0));

        assertThat(source.get().links().orElseThrow().of(shown)).isEqualTo("10.0.0.2");
    }

    @Test
    void countsTheGpusThatWork() {
        Gpu well = Inventories.gpu("NVIDIA GB200");
        var outside =
                new Gpu(1, well.name(), "GPU-1", Optional.empty(), new Gpu.GpuFabric.NoFabric(), GpuHealth.UNTOLD);
        NodeInventory mixed = Inventories.with(Inventories.gb200(), List.of(well, outside));

        assertThat(new NodeStatusReader(() -> mixed, () -> health, () -> xids, "1.2.3")
                        .get()
                        .gpus())
                .isEqualTo(1);
    }

    @Test
    void reportsTheAgentTheFindingsAndTheXidsThatItHeard() {
        NodeInventory sick = Inventories.with(
                Inventories.gb200(),
                new Finding("fabric-limited", Severity.WARNING, "what", "then"),
                new Finding("gpu-lost", Severity.CRITICAL, "what", "then"));
        var reader = new NodeStatusReader(() -> sick, () -> health, () -> xids, "1.2.3");
        assertThat(reader.get().agent().orElseThrow().xidsSince()).isEmpty();
        Instant heard = Instant.parse("2026-11-21T10:00:00Z");
        xids = Optional.of(new XidHistory(
                heard,
                List.of(new XidHistory.XidEvent(
                        OptionalInt.of(1), 79, XidHistory.XidCause.GPU, 2, heard, heard.plusMillis(61_500)))));

        assertThat(reader.get().agent())
                .contains(new AgentReport(
                        "1.2.3",
                        sick.gpus().size(),
                        "NVIDIA GB200",
                        "critical:gpu-lost warning:fabric-limited",
                        Optional.of(heard),
                        "1,79,2,2026-11-21T10:01:01Z"));
    }

    @Test
    void aWordThatNobodyKnowsIsNoConnection() {
        told(local(
                ReportSpecimens.with(
                        ReportSpecimens.up(2), 0, 1, PrintedState.of("NEW_WORD", ConnectionState.values())),
                0));

        assertThat(source.get().links().orElseThrow().degraded()).isEqualTo("10.0.0.2");
    }

    @Test
    void whatIsSaidOfANodeThatDidNotAnswerIsUnknown() {
        told(local(ReportSpecimens.domain(3, List.of(0), DomainState.DEGRADED), 0));

        assertThat(source.get().links().orElseThrow().unknown()).isEqualTo("10.0.0.2 10.0.0.3");
        assertThat(source.get().peers()).isEmpty();
    }

    @Test
    void whichNodeItIsMustBeKnown() {
        told(ReportSpecimens.up(3));

        assertThat(source.get().links()).isEmpty();
        assertThat(source.get().peers()).isEmpty();
    }

    @Test
    void aNodeWhoseDaemonIsAwayIsStillKnownByItsAddress() {
        told(local(ReportSpecimens.up(3), 1));
        source.get();

        told(new QueryResult.QueryFailed<>(QueryResult.Failure.UNREACHABLE, "it is down"));

        assertThat(source.get().links()).contains(new NodeLinks("10.0.0.2", "", "", "", ""));
    }

    @Test
    void ofADomainOfAThousandNodesABoundedPartIsTold() {
        told(local(ReportSpecimens.up(1000), 0));

        NodeLinks links = source.get().links().orElseThrow();

        assertThat(links.connected().split(" ")).hasSize(256).startsWith("10.0.0.2");
        assertThat(links.connected().length()).isLessThan(10_497);
    }

    @ParameterizedTest
    @CsvSource({"READY, 71000001", "WAITING_FOR_PEERS, 0"})
    void theStartOfADaemonIsReportedOnceItIsReady(DaemonState state, long start) {
        UnitState unit = ReportSpecimens.startedAt(71_000_001);
        health = Optional.of(HealthPlanner.judge(Readings.of(
                Instant.EPOCH,
                Readings.node(new Applicability.Applicable(), true),
                true,
                unit,
                Optional.empty(),
                Optional.empty(),
                new QueryResult.QueryAnswered<>(PrintedState.of(state)),
                new QueryResult.QueryAnswered<>(local(ReportSpecimens.up(3), 1)))));

        assertThat(source.get().imexStart()).isEqualTo(start > 0 ? OptionalLong.of(start) : OptionalLong.empty());
    }

    private void told(DomainReport report) {
        told(new QueryResult.QueryAnswered<>(report));
    }

    private void told(QueryResult<DomainReport> domain) {
        health = Optional.of(HealthPlanner.judge(Readings.of(
                Instant.EPOCH,
                Readings.node(new Applicability.Applicable(), true),
                true,
                new UnitState(UnitState.ActiveState.ACTIVE),
                Optional.empty(),
                Optional.empty(),
                new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY)),
                domain)));
    }

    private static DomainReport local(DomainReport report, int index) {
        return report.withLocal(OptionalInt.of(index));
    }
}
