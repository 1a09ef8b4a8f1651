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
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.text.Screen;
import io.imexagent.imex.probe.InventoryDocument;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import org.junit.jupiter.api.Test;

class DocumentsTest {

    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05Z");
    private static final CliqueId CLIQUE = new CliqueId("7b968a6d-c8aa-45e1-9e07-e1e51be99c31.1");
    private static final CliqueId OTHER = new CliqueId("7b968a6d-c8aa-45e1-9e07-e1e51be99c31.2");

    @Test
    void anInventoryHasAllThatIsKnown() throws IOException {
        var inventory = new NodeInventory(
                TIME,
                new DriverState.LoadedDriver("580.95.05", "13.580.95.05"),
                List.of(
                        told(gpu(
                                0,
                                new Gpu.GpuFabric.FabricRegistered(
                                        Optional.of(CLIQUE), List.of("bandwidth degraded"), List.of()))),
                        gpu(1, new Gpu.GpuFabric.NoFabric())),
                new CliqueState.KnownClique(CLIQUE),
                new ChannelMajor.RegisteredMajor(501),
                OptionalInt.of(2048),
                new ChannelNode.PresentNode(501, 0, 0666),
                Optional.of(new BootId("boot-1")),
                Optional.of("NVIDIA"),
                List.of(new Finding("code-1", Severity.WARNING, "It is so.", "Do this.")));

        assertThat(Documents.json(inventory.takenAt(), InventoryDocument.of(inventory, Optional.empty())))
                .endsWith("}\n");
        assertThat(new ObjectMapper()
                        .readTree(
                                Documents.json(inventory.takenAt(), InventoryDocument.of(inventory, Optional.empty()))))
                .isEqualTo(new ObjectMapper().readTree("""
                    {"at": "2026-01-02T03:04:05Z", "simulated": false,
                     "driver": {"state": "loaded", "driverVersion": "580.95.05", "nvmlVersion": "13.580.95.05"},
                     "clique": {"state": "present", "id": "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.1",
                                "outside": [1]},
                     "channelMajor": {"state": "registered", "major": 501},
                     "channelCount": 2048,
                     "channelNode": {"state": "present", "major": 501, "minor": 0, "mode": "0666"},
                     "bootId": "boot-1",
                     "vendor": "NVIDIA",
                     "gpus": [
                       {"index": 0, "name": "NVIDIA GB200", "uuid": "GPU-0", "pci": "0008:00:00.0",
                        "fabric": {"state": "registered", "clique": "7b968a6d-c8aa-45e1-9e07-e1e51be99c31.1",
                                   "unhealthy": ["bandwidth degraded"]},
                        "health": {"fabric": {"route_unhealthy": "no"}, "fabricSummary": "healthy",
                                   "recoveryAction": "none"}},
                       {"index": 1, "name": "NVIDIA GB200", "uuid": "GPU-1", "pci": "0008:01:00.0",
                        "fabric": {"state": "not-supported"}, "health": {}}],
                     "findings": [{"code": "code-1", "severity": "warning", "message": "It is so.",
                                   "remedy": "Do this."}]}\
                    """));
    }

    @Test
    void whatCouldNotBeToldIsLeftOut() throws IOException {
        assertThat(InventoryDocument.of(bare(new CliqueState.NoClique("no GPU")), Optional.empty()))
                .isEqualTo(new ObjectMapper().readTree("""
                    {"simulated": false,
                     "driver": {"state": "absent", "reason": "no library"},
                     "clique": {"state": "none", "reason": "no GPU"},
                     "channelMajor": {"state": "not-registered"},
                     "channelNode": {"state": "absent"},
                     "gpus": [],
                     "findings": []}\
                    """));
    }

    @Test
    void everyStateOfACliqueHasAName() {
        assertThat(clique(new CliqueState.RegisteringClique("GPU 0")))
                .isEqualTo("{\"state\":\"registering\",\"detail\":\"GPU 0\"}");
        assertThat(clique(new CliqueState.FailedClique("GPU 0")))
                .isEqualTo("{\"state\":\"failed\",\"detail\":\"GPU 0\"}");
        assertThat(clique(new CliqueState.UnknownClique("lost")))
                .isEqualTo("{\"state\":\"unknown\",\"detail\":\"lost\"}");
        assertThat(clique(new CliqueState.ConflictingClique(new TreeSet<>(List.of(OTHER, CLIQUE)))))
                .isEqualTo("{\"state\":\"conflicting\",\"ids\":[\"" + CLIQUE + "\",\"" + OTHER + "\"]}");
    }

    @Property(tries = 200)
    void yamlIsReadAsTheSameDocumentWhateverTheTexts(@ForAll String text) throws IOException {
        ObjectNode document = InventoryDocument.of(
                bare(new CliqueState.NoClique(text.replaceAll("[\\p{Cs}\\p{Cn}]", ""))), Optional.empty());

        assertThat(new ObjectMapper().readTree(Documents.json(TIME, document)))
                .isEqualTo(Documents.dated(TIME, document));
        assertThat(new YAMLMapper().readTree(Documents.yaml(TIME, document)))
                .isEqualTo(Documents.dated(TIME, document));
    }

    @Property(tries = 500)
    void yamlKeepsTextsThatLookLikeNumbers(
            @ForAll @Chars({'0', '1', '8', ':', '.', '_', 'e', 'x', '-', '+', '~', 'f', 'n'}) String text)
            throws IOException {
        ObjectNode document = InventoryDocument.of(bare(new CliqueState.NoClique(text)), Optional.empty());

        assertThat(new YAMLMapper().readTree(Documents.yaml(TIME, document)))
                .isEqualTo(Documents.dated(TIME, document));
    }

    @Test
    void aGpuShowsItsTypedCliques() {
        var registered = new Gpu.GpuFabric.FabricRegistered(
                Optional.of(CLIQUE),
                List.of(),
                List.of(
                        new Gpu.GpuFabric.TypedClique("unicast_pointer", 4),
                        new Gpu.GpuFabric.TypedClique("multicast_pointer", 5)));
        NodeInventory inventory = new NodeInventory(
                TIME,
                new DriverState.AbsentDriver("no library"),
                List.of(gpu(0, registered)),
                new CliqueState.KnownClique(CLIQUE),
                new ChannelMajor.UnregisteredMajor(),
                OptionalInt.empty(),
                new ChannelNode.AbsentNode(),
                Optional.empty(),
                Optional.empty(),
                List.of());

        assertThat(InventoryDocument.of(inventory, Optional.empty())
                        .at("/gpus/0/fabric/cliques")
                        .toString())
                .isEqualTo(
                        "[{\"type\":\"unicast_pointer\",\"number\":4},{\"type\":\"multicast_pointer\",\"number\":5}]");
        assertThat(InventoryDocument.text(inventory, Optional.empty(), new Screen(false, OptionalInt.empty())))
                .contains("registered, " + CLIQUE.text() + ", multicast pointer 5");
    }

    private static String clique(CliqueState state) {
        return InventoryDocument.of(bare(state), Optional.empty()).get("clique").toString();
    }

    private static NodeInventory bare(CliqueState clique) {
        return new NodeInventory(
                TIME,
                new DriverState.AbsentDriver("no library"),
                List.of(),
                clique,
                new ChannelMajor.UnregisteredMajor(),
                OptionalInt.empty(),
                new ChannelNode.AbsentNode(),
                Optional.empty(),
                Optional.empty(),
                List.of());
    }

    private static Gpu told(Gpu gpu) {
        return new Gpu(
                gpu.index(),
                gpu.name(),
                gpu.uuid(),
                gpu.pci(),
                gpu.fabric(),
                new GpuHealth(
                        List.of(new GpuHealth.FabricBit("route_unhealthy", "no", GpuHealth.Weight.GOOD)),
                        Optional.of("healthy"),
                        Optional.of("none")));
    }

    private static Gpu gpu(int index, Gpu.GpuFabric fabric) {
        return new Gpu(
                index,
                "NVIDIA GB200",
                "GPU-" + index,
                PciAddress.parse("0008:0" + index + ":00.0"),
                fabric,
                GpuHealth.UNTOLD);
    }
}
