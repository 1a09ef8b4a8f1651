package io.imexagent.rdma.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KnownAddressesTest {

    @Test
    void addressesThatTheOperatorNamesNeedNoClusterToTellThem() {
        var unknown = new KnownAddresses.UnreadAddresses("it is away");

        assertThat(unknown.missing(Settings.OFF)).contains("it is away");
        assertThat(unknown.missing(Settings.withUplinks(List.of(), List.of("192.0.2.7"))))
                .isEmpty();
        assertThat(new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()).missing(Settings.OFF))
                .isEmpty();
    }
}
