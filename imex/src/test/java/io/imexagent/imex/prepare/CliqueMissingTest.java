package io.imexagent.imex.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimPlanner.PreparePlan;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Refused;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.specimen.NodeSpecimens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class CliqueMissingTest {

    private static final Gpu.GpuFabric NO_FABRIC = new Gpu.GpuFabric.NoFabric();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(
            value = Isolation.class,
            names = {"NONE", "IMEX_CHANNEL"})
    void aClaimIsPreparedWithoutAChannelWhereNoGpuSupportsAFabric(Isolation isolation) throws Exception {
        try (Node node = node(CliqueMissing.SUCCEED, isolation, node(NO_FABRIC, NO_FABRIC))) {
            ClaimRef claim = claim(node, isolation, "a");

            assertThat(handed(node.prepare(claim)).cdiDeviceIds()).isEmpty();
            assertThat(node.spec(claim)).isEmpty();
            assertThat(Files.readString(folder.resolve("plugin/checkpoint.json")))
                    .contains("\"CDIDeviceIDs\":[]", "\"info\":{\"id\":0}");
        }
    }

    /** A restart, another configuration, or a clique that appears makes no other claim of it. */
    @Test
    void itStaysSoAndKeepsNobodyFromTheChannel() throws Exception {
        try (Node node = node(CliqueMissing.SUCCEED, Isolation.NONE, node(NO_FABRIC))) {
            ClaimRef claim = node.claim("a");
            Outcome<Prepared> before = node.prepare(claim);
            node.inventory.set(Inventories.gb200());
            try (Node restarted = Node.in(folder).like(node).start()) {
                assertThat(restarted.prepare(claim)).isEqualTo(before);
                assertThat(restarted.spec(claim)).isEmpty();
                assertThat(handed(restarted.prepare(restarted.claim("b"))).cdiDeviceIds())
                        .hasSize(1);

                assertThat(restarted.unprepare(claim)).isEqualTo(Outcome.accepted(new Unprepared()));
                assertThat(restarted.saved(claim)).isEmpty();
            }
        }
    }

    static Stream<NodeInventory> nodesThatMayHaveAFabric() {
        NodeInventory none = node(NO_FABRIC);
        return Stream.of(
                node(),
                node(NO_FABRIC, new Gpu.GpuFabric.FabricRegistering("in_progress")),
                node(NO_FABRIC, new Gpu.GpuFabric.FabricFailed("Insufficient Resources (23)")),
                node(
                        NO_FABRIC,
                        new Gpu.GpuFabric.FabricUnknown(
                                Gpu.GpuFabric.FabricUnknown.UnknownCause.UNREADABLE, "it is lost")),
                node(new Gpu.GpuFabric.FabricRegistered(Optional.empty(), List.of(), List.of())),
                node(registered("32766"), registered("1")),
                Inventories.with(none, Finding.critical(NodeInventory.NOT_LISTED, "a GPU is not listed", "reset it")),
                Inventories.with(none, Finding.warning(NodeInventory.EXCLUDED, "a GPU is excluded", "nothing")),
                Inventories.with(none, Finding.warning(NodeInventory.BUS_UNREADABLE, "no bus", "mount it")),
                Inventories.with(none, Finding.warning(NodeInventory.RACK_WITHOUT_FABRIC, "a rack's GPU", "look")));
    }

    @ParameterizedTest
    @MethodSource("nodesThatMayHaveAFabric")
    void elsewhereAClaimIsRefusedAsWithoutTheSetting(NodeInventory inventory) {
        Outcome<PreparePlan> refused = plan(CliqueMissing.REFUSE, inventory);

        assertThat(refused).isInstanceOf(Outcome.Refused.class);
        assertThat(plan(CliqueMissing.SUCCEED, inventory)).isEqualTo(refused);
    }

    @Test
    void aClaimIsRefusedWhereNothingElseIsSaid() throws Exception {
        try (Node node = node(CliqueMissing.REFUSE, Isolation.NONE, node(NO_FABRIC))) {
            assertThat(Refused.of(node.prepare(node.claim("a"))).code()).isEqualTo(RefusalCode.NO_CLIQUE);
        }
    }

    @Test
    void itsComputeDomainMustBeThere() throws Exception {
        try (Node node = node(CliqueMissing.SUCCEED, Isolation.NONE, node(NO_FABRIC))) {
            ClaimRef claim = DraSpecimens.ref("a");
            node.claims.put(claim, DraSpecimens.status(DraSpecimens.DOMAIN));

            assertThat(Refused.of(node.prepare(claim)).code()).isEqualTo(RefusalCode.DOMAIN_NOT_FOUND);
        }
    }

    private static Outcome<PreparePlan> plan(CliqueMissing chosen, NodeInventory inventory) {
        var policy = new ServingPolicy(
                NodeSpecimens.NAME,
                Isolation.NONE,
                NodeSpecimens.POLICY.limits(),
                Sharing.NONE,
                ServingPolicy.USUAL_PLACES,
                false,
                chosen);
        var situation = new Situation();
        return Planning.plan(
                policy,
                inventory,
                situation.domain,
                situation.table,
                Situation.REF,
                situation.status(),
                Ledger.empty(inventory.bootId()),
                NodeSpecimens.NOON);
    }

    private Node node(CliqueMissing chosen, Isolation isolation, NodeInventory inventory) throws Exception {
        Node built = Node.in(folder).with(chosen).with(isolation).build();
        built.inventory.set(inventory);
        return built.started();
    }

    private static ClaimRef claim(Node node, Isolation isolation, String name) {
        return isolation == Isolation.NONE ? node.claim(name) : node.owned(name, DraSpecimens.DOMAIN, Optional.empty());
    }

    private static PreparedDevice.ReturnedDevice handed(Outcome<Prepared> answer) {
        return answer.toOptional()
                .orElseThrow(() -> new AssertionError(answer))
                .devices()
                .getFirst();
    }

    private static Gpu.GpuFabric registered(String clique) {
        return new Gpu.GpuFabric.FabricRegistered(
                Optional.of(new CliqueId("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153." + clique)), List.of(), List.of());
    }

    /** A node whose GPUs stand so in the fabric. */
    private static NodeInventory node(Gpu.GpuFabric... fabrics) {
        List<Gpu> gpus = Arrays.stream(fabrics)
                .map(fabric -> new Gpu(0, "NVIDIA H100", "GPU-0", Optional.empty(), fabric, GpuHealth.UNTOLD))
                .toList();
        return Inventories.with(Inventories.with(Inventories.gb200(), gpus), CliqueState.of(gpus));
    }
}
