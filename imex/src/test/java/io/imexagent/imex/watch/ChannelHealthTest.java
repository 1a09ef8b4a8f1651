package io.imexagent.imex.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.kubelet.DeviceHealth;
import io.imexagent.dra.kubelet.DeviceHealth.Status;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.watch.ChannelHealth.Degraded;
import org.junit.jupiter.api.Test;

class ChannelHealthTest {

    private final FakeInventory inventory = new FakeInventory(Inventories.gb200());
    private Health watched = Health.WELL;

    @Test
    void tellsTheDeviceOfTheIsolation() {
        assertThat(of(Isolation.NONE, Degraded.HEALTHY).current())
                .containsExactly(new DeviceHealth("node-1", "channel-0", Status.HEALTHY, ""));
        assertThat(of(Isolation.IMEX_DOMAIN, Degraded.HEALTHY).current()).isEmpty();
    }

    @Test
    void tellsTheDeviceOfAllChannelsAndThePlacesInItsStead() {
        watched = new Health(Health.Status.UNHEALTHY, "down");

        assertThat(of(Isolation.IMEX_CHANNEL, Degraded.HEALTHY).current())
                .hasSize(1 + ServingPolicy.USUAL_PLACES)
                .startsWith(
                        new DeviceHealth("node-1", "channel", Status.UNHEALTHY, "down"),
                        new DeviceHealth("node-1", "channel-place-0", Status.UNHEALTHY, "down"))
                .endsWith(new DeviceHealth("node-1", "channel-place-7", Status.UNHEALTHY, "down"));
    }

    @Test
    void whatWorksWithLessThanItCouldIsCalledAsTheOperatorWants() {
        watched = new Health(Health.Status.DEGRADED, "2/3");

        assertThat(of(Isolation.NONE, Degraded.HEALTHY).current())
                .containsExactly(new DeviceHealth("node-1", "channel-0", Status.HEALTHY, "2/3"));
        assertThat(of(Isolation.NONE, Degraded.UNHEALTHY).current())
                .containsExactly(new DeviceHealth("node-1", "channel-0", Status.UNHEALTHY, "2/3"));
    }

    @Test
    void theNodeCountsToo() {
        inventory.set(Inventories.with(Inventories.gb200(), new CliqueState.Failed("GPU 0")));

        assertThat(of(Isolation.IMEX_CHANNEL, Degraded.HEALTHY).current())
                .isNotEmpty()
                .allSatisfy(device -> assertThat(device.status()).isEqualTo(Status.UNHEALTHY));
    }

    private ChannelHealth of(Isolation isolation, Degraded degraded) {
        var what = new ChannelHealth.Watched() {
            @Override
            public Health devices() {
                return watched;
            }

            @Override
            public void onChange(Runnable listener) {}
        };
        return new ChannelHealth(inventory, what, () -> new ServingPolicy("node-1", isolation, false), degraded);
    }
}
