package io.imexagent.agent.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.imex.fake.Inventories;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class StatusLineTest {

    private static final RegistrationState REGISTERED = new RegistrationState.RegistrationDone(Instant.EPOCH);
    private static final NodeInventory TRAY = Inventories.gb200();

    @Test
    void saysWhatTheNodeIsAndHowFarServingHasCome() {
        assertThat(StatusLine.of(
                        TRAY,
                        Optional.of(new StatusLine.ServingStatus(REGISTERED, 1)),
                        List.of("IMEX domain UP 18/18")))
                .isEqualTo("GB200, clique c4a1….32766, channel major 239, registered, 1 claim prepared;"
                        + " IMEX domain UP 18/18");
    }

    @Test
    void countsClaimsAndTellsThatTheKubeletHasNotComeYet() {
        assertThat(serving(new RegistrationState.RegistrationPending(), 0))
                .endsWith(", not registered, 0 claims prepared");
        assertThat(serving(new RegistrationState.RegistrationRejected("no", Instant.EPOCH), 2))
                .endsWith(", rejected by the kubelet, 2 claims prepared");
    }

    @Test
    void saysThatItOnlyObserves() {
        assertThat(StatusLine.of(TRAY, Optional.empty(), List.of())).endsWith(", observing only");
    }

    @Test
    void namesEachKindOfGpuOnceAndWhatIsMissing() {
        assertThat(of(Inventories.with(
                        TRAY,
                        List.of(
                                Inventories.gpu("NVIDIA GB200"),
                                Inventories.gpu("NVIDIA GB200"),
                                Inventories.gpu("Other")))))
                .startsWith("GB200 + Other, ");
        assertThat(of(Inventories.with(TRAY, List.of()))).startsWith("no GPU, ");
        assertThat(of(Inventories.with(TRAY, new DriverState.AbsentDriver("")))).startsWith("no driver, ");
        assertThat(of(Inventories.with(TRAY, new DriverState.FailingDriver(""))))
                .startsWith("driver does not answer, ");
    }

    @Test
    void namesGpusThatAreNotInTheCliqueOfTheOthers() {
        Gpu well = Inventories.gpu("NVIDIA GB200");
        Gpu outside = new Gpu(2, well.name(), "", Optional.empty(), new Gpu.GpuFabric.NoFabric(), GpuHealth.UNTOLD);
        Gpu zero = new Gpu(
                3,
                well.name(),
                "",
                Optional.empty(),
                new Gpu.GpuFabric.FabricRegistered(Optional.empty(), List.of(), List.of()),
                GpuHealth.UNTOLD);

        assertThat(of(Inventories.with(TRAY, List.of(well, outside, zero))))
                .contains(", clique c4a1….32766 without GPU 2 and GPU 3, ");
    }

    @Test
    void tellsEveryStateOfCliqueAndMajor() {
        assertThat(clique(new CliqueState.NoClique(""))).contains(", no clique, ");
        assertThat(clique(new CliqueState.RegisteringClique(""))).contains(", fabric registering, ");
        assertThat(clique(new CliqueState.FailedClique(""))).contains(", fabric failed, ");
        assertThat(clique(new CliqueState.ConflictingClique(new TreeSet<CliqueId>())))
                .contains(", several cliques, ");
        assertThat(clique(new CliqueState.UnknownClique(""))).contains(", clique unknown, ");
        assertThat(of(Inventories.with(TRAY, new ChannelMajor.UnregisteredMajor())))
                .contains(", no channel major, ");
        assertThat(of(Inventories.with(TRAY, new ChannelMajor.UnknownMajor(""))))
                .contains(", channel major unknown, ");
    }

    private static String serving(RegistrationState state, int prepared) {
        return StatusLine.of(TRAY, Optional.of(new StatusLine.ServingStatus(state, prepared)), List.of());
    }

    private static String clique(CliqueState clique) {
        return of(Inventories.with(TRAY, clique));
    }

    private static String of(NodeInventory node) {
        return StatusLine.of(node, Optional.empty(), List.of());
    }
}
