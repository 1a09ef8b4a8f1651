package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.kubelet.DeviceHealth;
import io.imexagent.dra.kubelet.DeviceHealth.HealthStatus;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.specimen.NodeSpecimens;
import io.imexagent.imex.watch.ChannelHealth.DegradedReporting;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ChannelHealthTest {

    private final FakeInventory inventory = new FakeInventory(Inventories.gb200());
    private final FixedImexSource imex = new FixedImexSource();
    private Optional<String> complaint = Optional.empty();

    @BeforeEach
    void isUp() {
        imex.say(Healths.up());
    }

    @Test
    void tellsTheDeviceOfTheIsolation() {
        assertThat(of(Isolation.NONE, DegradedReporting.HEALTHY).current())
                .containsExactly(new DeviceHealth("node-1", "channel-0", HealthStatus.HEALTHY, ""));
        assertThat(of(Isolation.IMEX_DOMAIN, DegradedReporting.HEALTHY).current())
                .isEmpty();
    }

    @Test
    void tellsTheDeviceOfAllChannelsAndThePlacesInItsStead() {
        complaint = Optional.of("down");

        assertThat(of(Isolation.IMEX_CHANNEL, DegradedReporting.HEALTHY).current())
                .hasSize(1 + ServingPolicy.USUAL_PLACES)
                .startsWith(
                        new DeviceHealth("node-1", "channel", HealthStatus.UNHEALTHY, "down"),
                        new DeviceHealth("node-1", "channel-place-0", HealthStatus.UNHEALTHY, "down"))
                .endsWith(new DeviceHealth("node-1", "channel-place-7", HealthStatus.UNHEALTHY, "down"));
    }

    @Test
    void whatWorksWithLessThanItCouldIsCalledAsTheOperatorWants() {
        imex.say(Healths.degraded());
        String message = Healths.degraded().line();

        assertThat(of(Isolation.NONE, DegradedReporting.HEALTHY).current())
                .containsExactly(new DeviceHealth("node-1", "channel-0", HealthStatus.HEALTHY, message));
        assertThat(of(Isolation.NONE, DegradedReporting.UNHEALTHY).current())
                .containsExactly(new DeviceHealth("node-1", "channel-0", HealthStatus.UNHEALTHY, message));
    }

    @Test
    void theNodeCountsToo() {
        inventory.set(Inventories.with(Inventories.gb200(), new CliqueState.FailedClique("GPU 0")));

        assertThat(of(Isolation.IMEX_CHANNEL, DegradedReporting.HEALTHY).current())
                .isNotEmpty()
                .allSatisfy(device -> assertThat(device.status()).isEqualTo(HealthStatus.UNHEALTHY));
    }

    private ChannelHealth of(Isolation isolation, DegradedReporting degraded) {
        return new ChannelHealth(
                inventory, imex, () -> complaint, () -> NodeSpecimens.policy("node-1", isolation, false), degraded);
    }
}
