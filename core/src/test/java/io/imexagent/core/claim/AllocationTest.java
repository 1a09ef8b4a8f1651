package io.imexagent.core.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.imexagent.core.claim.DeviceConfig.Source;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AllocationTest {

    @ParameterizedTest
    @CsvSource({"channel,channel", "channel/small,channel", "a/b/c,a", "/b,''"})
    void theMainRequestStandsBeforeTheSlash(String request, String main) {
        assertThat(AllocatedDevice.mainRequest(request)).isEqualTo(main);
    }

    @ParameterizedTest
    @CsvSource({
        "channel/small, channel/small, true",
        "channel, channel/small, true",
        "channel/large, channel/small, false",
        "channel/small, channel, false",
        "chan, channel, false",
        "other, channel, false"
    })
    void aConfigurationAppliesToItsRequestAndToAllOfItsSubrequests(String named, String request, boolean applies) {
        var config = new DeviceConfig(Source.FROM_CLAIM, List.of(named), Optional.empty());

        assertThat(config.appliesTo(device(request))).isEqualTo(applies);
    }

    @Test
    void aConfigurationWithoutRequestsAppliesToAll() {
        var config = new DeviceConfig(Source.FROM_CLASS, List.of(), Optional.empty());

        assertThat(config.appliesTo(device("anything/at-all"))).isTrue();
    }

    @Test
    void theResultsOfADriverAreItsOwnInTheirOrder() {
        AllocatedDevice first = allocated("a", "ours", "pool", "channel-0");
        AllocatedDevice foreign = allocated("b", "gpu.nvidia.com", "pool", "gpu-0");
        AllocatedDevice second = allocated("c", "ours", "pool", "channel-1");
        var allocation = new Allocation(List.of(first, foreign, second), List.of(), Optional.empty(), Optional.empty());

        assertThat(allocation.resultsOf("ours")).containsExactly(first, second);
        assertThat(allocation.resultsOf("other")).isEmpty();
    }

    @Test
    void aStatusKeepsItsContentWhateverBecomesOfTheListsItWasMadeFrom() {
        var results = new ArrayList<>(List.of(device("channel")));
        var allocation = new Allocation(results, List.of(), Optional.empty(), Optional.empty());
        var status = new ClaimStatus(Optional.of(allocation), List.of(), List.of());

        results.clear();

        assertThat(status.allocation().orElseThrow().results()).containsExactly(device("channel"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> allocation.results().clear());
    }

    @Test
    void aDeviceKeepsItsCapacityInTheOrderOfItsNames() {
        var capacity = new TreeMap<String, String>(Comparator.reverseOrder());
        capacity.put("a", "1");
        capacity.put("b", "2");
        AllocatedDevice plain = device("channel");
        var device = new AllocatedDevice(
                plain.request(),
                plain.driver(),
                plain.pool(),
                plain.device(),
                plain.adminAccess(),
                plain.tolerations(),
                plain.bindingConditions(),
                plain.bindingFailureConditions(),
                plain.shareId(),
                capacity);

        capacity.clear();

        assertThat(device.consumedCapacity().keySet()).containsExactly("a", "b");
    }

    @Test
    void sourcesHaveTheNamesOfTheApi() {
        assertThat(Source.FROM_CLASS.wire()).isEqualTo("FromClass");
        assertThat(Source.FROM_CLAIM.wire()).isEqualTo("FromClaim");
    }

    private static AllocatedDevice device(String request) {
        return allocated(request, "ours", "pool", "channel-0");
    }

    /** A device as clusters without the newer features allocate it. */
    private static AllocatedDevice allocated(String request, String driver, String pool, String device) {
        return new AllocatedDevice(
                request,
                driver,
                pool,
                device,
                Optional.empty(),
                List.of(),
                List.of(),
                List.of(),
                Optional.empty(),
                new TreeMap<>());
    }
}
