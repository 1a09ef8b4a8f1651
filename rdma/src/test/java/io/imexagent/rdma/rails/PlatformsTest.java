package io.imexagent.rdma.rails;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.core.slice.Device;
import io.imexagent.core.text.Screen;
import io.imexagent.dra.claim.Grant;
import io.imexagent.rdma.fixture.FaultyFiles;
import io.imexagent.rdma.fixture.Platform;
import io.imexagent.rdma.report.RdmaChecks;
import io.imexagent.rdma.report.RdmaDocument;
import io.imexagent.rdma.report.RdmaText;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.watch.RdmaView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Each platform as it comes, with no word of the operator's, from its files to what pods and people get. */
class PlatformsTest {

    @TempDir
    static Path root;

    /** Laid out once each, as far as a test changes nothing of it. */
    private static final Map<String, Platform> LAID_OUT = new HashMap<>();

    private static Platform platform(String name) {
        return LAID_OUT.computeIfAbsent(name, one -> Platform.lay(one, root.resolve(one)));
    }

    @Test
    void everyPlatformIsTried() throws IOException {
        assertThat(Platform.inFolder()).isEqualTo(Platform.names());
    }

    @ParameterizedTest
    @MethodSource("io.imexagent.rdma.fixture.Platform#names")
    void eachNicIsTakenForWhatItIs(String name) throws IOException {
        Platform platform = platform(name);
        RdmaView view = platform.view();

        var classes = new TreeMap<String, String>();
        view.selection()
                .verdicts()
                .forEach(verdict -> classes.put(
                        verdict.reading().label(), verdict.nicClass().text()));
        assertThat(classes).isEqualTo(platform.classes());
        assertThat(view.selection().findings().stream()
                        .map(Finding::code)
                        .sorted()
                        .toList())
                .isEqualTo(platform.findings());
    }

    @ParameterizedTest
    @MethodSource("io.imexagent.rdma.fixture.Platform#names")
    void eachRailIsPublishedWithWhatIsKnownOfIt(String name) throws IOException {
        Platform platform = platform(name);

        Map<String, Map<String, String>> devices = PublishedRails.EMPTY
                .updated(platform.view(), Set.of(), Platform.SETTINGS, Trays.NOON)
                .devices(Platform.SETTINGS)
                .stream()
                .collect(Collectors.toMap(Device::name, PlatformsTest::attributes));

        var expected = new HashMap<String, Map<String, String>>();
        platform.rails().forEach((device, rail) -> expected.put(name(rail), published(device, rail)));
        assertThat(devices).isEqualTo(expected);
    }

    @ParameterizedTest
    @MethodSource("io.imexagent.rdma.fixture.Platform#names")
    void aClaimGetsTheNodesOfItsRailsAndNoOtherNicIsGivenAway(String name) throws IOException {
        Platform platform = platform(name);
        RdmaView view = platform.view();
        Map<String, JsonNode> rails = platform.rails();

        if (!rails.isEmpty()) {
            String[] names = rails.values().stream().map(PlatformsTest::name).toArray(String[]::new);
            ClaimEdits edits = plan(view, names).toOptional().orElseThrow().edits();

            assertThat(edits.devices())
                    .containsOnlyKeys(rails.values().stream()
                            .map(rail -> Trays.CLAIM.uid() + "-" + name(rail))
                            .toList());
            edits.devices()
                    .values()
                    .forEach(device -> assertThat(device.edits().nodes())
                            .as(device.hostName())
                            .containsExactly(uverbs(platform, device.hostName())));
            assertThat(edits.shared().nodes())
                    .containsExactly(new ClaimEdits.DeviceNodeEdits("/dev/infiniband/rdma_cm", 10, 121));
            assertThat(edits.shared().environment())
                    .contains("NCCL_IB_HCA=" + platform.hca().orElseThrow());
        }
        view.selection().dropped().stream()
                .flatMap(verdict -> verdict.reading().address().stream())
                .map(Rail::deviceName)
                .filter(other ->
                        rails.values().stream().noneMatch(rail -> name(rail).equals(other)))
                .forEach(other -> assertThat(plan(view, other))
                        .as(other)
                        .isInstanceOfSatisfying(
                                Outcome.Refused.class,
                                refused ->
                                        assertThat(refused.reason().code()).isEqualTo(RefusalCode.RAIL_NOT_OFFERED)));
    }

    @ParameterizedTest
    @MethodSource("io.imexagent.rdma.fixture.Platform#names")
    void showTellsEachNicInTextAndAsADocument(String name) throws IOException {
        Platform platform = platform(name);
        RdmaView view = platform.view();

        Map<String, Map<String, String>> rows = rows(RdmaText.of(view, Screen.NONE));
        var inText = new TreeMap<String, String>();
        rows.forEach((nic, row) -> inText.put(nic, row.get("CLASS")));
        assertThat(inText).isEqualTo(platform.classes());

        JsonNode document = RdmaDocument.of(view);
        var inDocument = new TreeMap<String, String>();
        document.get("nics")
                .forEach(nic -> inDocument.put(
                        nic.path("rdmaDevice").asText(nic.path("pci").asText()),
                        nic.path("class").asText()));
        assertThat(inDocument).isEqualTo(platform.classes());
        assertThat(Optional.ofNullable(document.at("/nccl/NCCL_IB_HCA").textValue()))
                .isEqualTo(platform.hca());

        platform.rails().forEach((device, rail) -> {
            assertThat(rows.get(device))
                    .as(device)
                    .containsEntry("OFFERED", "yes")
                    .containsEntry("GPUS", Platform.near(rail))
                    .containsEntry("NUMA", rail.path("numa").asText())
                    .containsEntry("NETDEV", Platform.netdev(rail).orElse("-"));
            assertThat(nearest(document, device)).as(device).isEqualTo(near(rail));
        });
        assertThat(rows.values().stream()
                        .filter(row -> !row.getOrDefault("OFFERED", "").equals("yes")))
                .hasSize(platform.classes().size() - platform.rails().size())
                .allSatisfy(row -> assertThat(row.get("OFFERED")).startsWith("no, "));
    }

    /** The HPC image of Azure renames the devices after boot, and looks again every minute. */
    @Test
    void aRenameInTheMiddleOfAScanWithdrawsNothing() throws IOException {
        Platform platform = Platform.lay("azure-hpc", root.resolve("renamed"));
        platform.rename("mlx5_ib1", "mlx5_ib1", "mlx5_1");
        PublishedRails booted = PublishedRails.EMPTY.updated(platform.view(), Set.of(), Platform.SETTINGS, Trays.NOON);

        RdmaView during = platform.view(new FaultyFiles(platform.files())
                .before("mlx5_1/ports/1/rate", () -> platform.rename("mlx5_ib1", "mlx5_1", "mlx5_ib1")));
        PublishedRails kept = booted.updated(during, Set.of(), Platform.SETTINGS, Trays.NOON.plusSeconds(10));
        PublishedRails renamed = kept.updated(platform.view(), Set.of(), Platform.SETTINGS, Trays.NOON.plusSeconds(20));

        assertThat(during.selection().rails()).hasSize(3);
        assertThat(kept.devices(Platform.SETTINGS)).isEqualTo(booted.devices(Platform.SETTINGS));
        assertThat(renamed.devices(Platform.SETTINGS))
                .extracting(device -> attributes(device).get("rdmaDevice"))
                .containsExactly("mlx5_ib0", "mlx5_ib1", "mlx5_ib2", "mlx5_ib3");
    }

    /** EFA is reached by another plugin, and RDMA in software is nobody's fault; a driver that is missing is one. */
    @ParameterizedTest
    @CsvSource({"aws-p6e-gb200,WARNING", "soft-roce,WARNING", "no-mlx5_ib,CRITICAL", "azure-gb300-aks,OK"})
    void onlyANodeThatCouldHaveRailsFailsTheCheckForHavingNone(String name, Severity status) throws IOException {
        assertThat(RdmaChecks.of(platform(name).view(), Optional.empty(), Optional.empty()))
                .filteredOn(check -> check.id().equals("rails"))
                .extracting(CheckResult::severity)
                .containsExactly(status);
    }

    private static Outcome<Grant> plan(RdmaView view, String... devices) {
        return Trays.plan(Trays.CLAIM, Trays.status(devices), Trays.noClaims(), Optional.of(view));
    }

    private static String name(JsonNode rail) {
        return Rail.deviceName(
                PciAddress.parse(Platform.last(rail.path("at").asText())).orElseThrow());
    }

    /** The node of the device: as in the fixtures' files, by the order of the NICs. */
    private static ClaimEdits.DeviceNodeEdits uverbs(Platform platform, String device) {
        int index = platform.uverbs(device);
        return new ClaimEdits.DeviceNodeEdits("/dev/infiniband/uverbs" + index, 231, 192 + index);
    }

    private static Map<String, String> published(String device, JsonNode rail) {
        String place = rail.path("at").asText();
        boolean infiniBand = rail.has("lid");
        var attributes = new HashMap<>(Map.of(
                "role",
                "rail",
                "rdmaDevice",
                device,
                "resource.kubernetes.io/pciBusID",
                Platform.last(place),
                "resource.kubernetes.io/pcieRoot",
                place.replaceFirst(".*(pci[0-9a-f]{4}:[0-9a-f]{2})/.*", "$1"),
                "linkLayer",
                infiniBand ? "InfiniBand" : "Ethernet",
                "portState",
                "ACTIVE",
                "rateGbps",
                "400",
                "gpuDirect",
                "dma-buf",
                "gpuDistance",
                Platform.near(rail).replaceFirst(".*\\((.*)\\)", "$1")));
        attributes.put("numaNode", rail.path("numa").asText());
        attributes.put("resource.kubernetes.io/numaNode", rail.path("numa").asText());
        attributes.put("nearestGpus", Platform.near(rail).replaceFirst(" .*", ""));
        Platform.netdev(rail).ifPresent(netdev -> {
            attributes.put("ifName", netdev);
            attributes.put("mtu", Integer.toString(Platform.mtu(rail)));
        });
        if (!infiniBand) {
            attributes.put("gidIndex", "3");
        }
        Platform.texts(rail.path("ip")).stream()
                .filter(address -> !address.contains(":"))
                .findFirst()
                .ifPresent(address -> attributes.put("ipv4", address.replaceFirst("/.*", "")));
        return attributes;
    }

    private static Map<String, String> attributes(Device device) {
        var texts = new HashMap<String, String>();
        device.attributes()
                .forEach((name, attribute) -> texts.put(
                        name,
                        switch (attribute) {
                            case Device.DeviceAttribute.StringAttribute(String value) -> value;
                            case Device.DeviceAttribute.IntAttribute(long value) -> Long.toString(value);
                            case Device.DeviceAttribute.BoolAttribute(boolean value) -> Boolean.toString(value);
                            case Device.DeviceAttribute.VersionAttribute(String value) -> value;
                        }));
        return texts;
    }

    /** The rows of the table of NICs, by RDMA device or else PCI address, each with its cells by their heading. */
    private static Map<String, Map<String, String>> rows(String text) {
        List<String> table = text.lines()
                .dropWhile(line -> !line.startsWith("RDMA "))
                .takeWhile(line -> !line.isEmpty())
                .toList();
        var rows = new LinkedHashMap<String, Map<String, String>>();
        String[] headings = table.isEmpty() ? new String[0] : table.getFirst().split("\\s{2,}", -1);
        for (String line : table.subList(Math.min(1, table.size()), table.size())) {
            String[] cells = line.split("\\s{2,}", -1);
            var row = new HashMap<String, String>();
            for (int column = 0; column < headings.length; column++) {
                row.put(headings[column], cells[column]);
            }
            rows.put(cells[0].equals("-") ? cells[2] : cells[0], row);
        }
        return rows;
    }

    /** The indices of the GPUs that are no farther from the device than any other, if any is near. */
    private static List<String> nearest(JsonNode document, String device) {
        var found = new ArrayList<String>();
        document.get("nics").forEach(nic -> {
            if (nic.path("rdmaDevice").asText().equals(device)) {
                nic.path("gpuDistances").forEach(gpu -> {
                    if (gpu.path("distance").asText().equals("same NUMA node")) {
                        found.add(gpu.path("gpu").asText());
                    }
                });
            }
        });
        return found;
    }

    private static List<String> near(JsonNode rail) {
        return List.of(Platform.near(rail).replaceFirst(" .*", "").split(",", -1));
    }
}
