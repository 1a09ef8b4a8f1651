package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.text.Screen;
import io.imexagent.imex.probe.InventoryDocument;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProbeCommandTest {

    private static final CliqueId CLIQUE = new CliqueId("7b968a6d-c8aa-45e1-9e07-e1e51be99c31.32766");
    private static final NodeInventory HEALTHY = new NodeInventory(
            Instant.parse("2026-01-02T03:04:05Z"),
            new DriverState.LoadedDriver("580.95.05", "13.580.95.05"),
            List.of(new Gpu(
                    0,
                    "NVIDIA GB200",
                    "GPU-1",
                    PciAddress.parse("0008:01:00.0"),
                    new Gpu.GpuFabric.FabricRegistered(Optional.of(CLIQUE), List.of(), List.of()),
                    new GpuHealth(
                            List.of(
                                    new GpuHealth.FabricBit("route_unhealthy", "no", GpuHealth.Weight.GOOD),
                                    new GpuHealth.FabricBit("degraded_bandwidth", "yes", GpuHealth.Weight.DEGRADED)),
                            Optional.of("limited_capacity"),
                            Optional.of("none")))),
            new CliqueState.KnownClique(CLIQUE),
            new ChannelMajor.RegisteredMajor(501),
            OptionalInt.of(2048),
            new ChannelNode.PresentNode(501, 0, 0666),
            Optional.of(new BootId("boot-1")),
            Optional.of("NVIDIA"),
            List.of());
    private static final NodeInventory BARE = new NodeInventory(
            Instant.parse("2026-01-02T03:04:05Z"),
            new DriverState.AbsentDriver("libnvidia-ml.so.1 is not there"),
            List.of(),
            new CliqueState.UnknownClique("no driver"),
            new ChannelMajor.UnregisteredMajor(),
            OptionalInt.empty(),
            new ChannelNode.AbsentNode(),
            Optional.empty(),
            Optional.empty(),
            List.of(new Finding(
                    "driver-absent",
                    Severity.CRITICAL,
                    "The NVIDIA driver is not loaded.",
                    "Install it, then modprobe nvidia.")));

    private static final Optional<XidHistory> XIDS = Optional.of(new XidHistory(
            Instant.parse("2026-01-01T00:00:00Z"),
            List.of(
                    new XidHistory.XidEvent(
                            OptionalInt.of(0),
                            79,
                            XidHistory.XidCause.GPU,
                            1,
                            Instant.parse("2026-01-01T00:00:01Z"),
                            Instant.parse("2026-01-01T00:00:01Z")),
                    new XidHistory.XidEvent(
                            OptionalInt.empty(),
                            31,
                            XidHistory.XidCause.PROGRAM,
                            2,
                            Instant.parse("2026-01-01T00:00:02Z"),
                            Instant.parse("2026-01-01T00:00:03Z")))));

    @TempDir
    private Path folder;

    private final CliFixture cli = new CliFixture();

    @Test
    void printsTablesForPeople() {
        assertThat(InventoryDocument.text(HEALTHY, XIDS, Screen.NONE)).isEqualTo("""
            driver          loaded, 580.95.05, NVML 13.580.95.05
            clique          7b968a6d-c8aa-45e1-9e07-e1e51be99c31.32766
            channel major   501
            channels        2048
            channel 0 node  501:0, mode 0666
            boot            boot-1
            vendor          NVIDIA
            Xids            3 heard by the agent since 2026-01-01T00:00:00Z

            GPU  NAME          PCI           UUID   FABRIC                                                  HEALTH
            0    NVIDIA GB200  0008:01:00.0  GPU-1  registered, 7b968a6d-c8aa-45e1-9e07-e1e51be99c31.32766  degraded bandwidth, overall fabric health: limited capacity

            GPU  XID  OF       COUNT  FIRST                 LAST
            0    79   gpu      1      2026-01-01T00:00:01Z  2026-01-01T00:00:01Z
            -    31   program  2      2026-01-01T00:00:02Z  2026-01-01T00:00:03Z
            """);
    }

    @Test
    void printsFindingsWithTheirRemedies() {
        assertThat(InventoryDocument.text(BARE, Optional.empty(), Screen.NONE)).isEqualTo("""
            driver          absent: libnvidia-ml.so.1 is not there
            clique          unknown: no driver
            channel major   not registered
            channels        -
            channel 0 node  absent; containers get their own
            boot            -
            vendor          -
            Xids            unknown: no agent has listened since the boot

            SEVERITY  FINDING        MESSAGE
            critical  driver-absent  The NVIDIA driver is not loaded.
                                     remedy: Install it, then modprobe nvidia.
            """);
    }

    @Test
    void aNodeWithoutXidsIsToldFromOneThatNobodyListenedTo() {
        var none = Optional.of(new XidHistory(Instant.parse("2026-01-01T00:00:00Z"), List.of()));

        assertThat(InventoryDocument.text(HEALTHY, none, Screen.NONE))
                .contains("Xids            none heard by the agent since 2026-01-01T00:00:00Z\n");
    }

    @Test
    void readsTheHostUnderTheConfiguration() throws IOException {
        cli.on(FakeHost.create(folder));

        // The warning is of the driver, which is simulated.
        assertThat(cli.execute("probe")).isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.out()).contains("channel major   507", "0    NVIDIA GB200  0008:06:00.0");
        assertThat(cli.execute("probe", "--simulate", "no-gpu")).isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.out()).doesNotContain("GB200");
        assertThat(cli.execute("probe", "--simulate", "gb-200")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aSimulationIsSaidInTextAndDocument() throws IOException {
        cli.on(FakeHost.create(folder));

        cli.execute("probe");
        assertThat(cli.out())
                .startsWith("simulated       yes: driver, GPUs and clique are not those of this host\n")
                .contains("warning   nvml-simulated");
        cli.execute("probe", "-o", "json");
        assertThat(new ObjectMapper().readTree(cli.out()).path("simulated").asBoolean())
                .isTrue();
    }

    @Test
    void aCriticalFindingFailsTheCommandWhateverTheForm() throws IOException {
        FakeHost host = FakeHost.create(folder);
        host.withoutChannelMajor();
        cli.on(host);

        assertThat(cli.execute("probe")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.out()).contains("critical  channel-major-missing");
        assertThat(cli.execute("probe", "-o", "json")).isEqualTo(ExitCode.FAILED);
        assertThat(cli.err()).doesNotContain("imex-agent: ");
    }

    @ParameterizedTest
    @CsvSource({
        "gb200, 3, 32766",
        "no-fabric, 3, clique-none",
        "gpu-outside-fabric, 1, '32766, without GPU 2'",
        "gpu-without-clique, 1, '32766, without GPU 2'",
        "fabric-unhealthy, 1, 'overall fabric health: unhealthy'",
        "insufficient-resources, 1, Insufficient Resources (23)",
        "fabric-in-progress, 3, registering",
        "gpu-lost, 1, gpu-lost"
    })
    void theExitCodeIsThatOfTheWorstOfFindingsGpusAndFabric(String tray, int code, String told) throws IOException {
        cli.on(FakeHost.create(folder));

        assertThat(cli.execute("probe", "--simulate", tray).number()).isEqualTo(code);
        assertThat(cli.out()).contains(told);
    }

    @Test
    void printsTheSameDocumentAsJsonAndAsYaml() throws IOException {
        cli.on(FakeHost.create(folder));

        cli.execute("probe", "-o", "json");
        var json = (ObjectNode) new ObjectMapper().readTree(cli.out());
        cli.execute("probe", "--output=yaml");
        var yaml = (ObjectNode) new YAMLMapper().readTree(cli.out());

        assertThat(json.at("/gpus")).hasSize(4);
        List.of(json, yaml).forEach(document -> document.remove("at"));
        assertThat(yaml).isEqualTo(json);
    }
}
