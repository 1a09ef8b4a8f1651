package io.imexagent.e2e.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.Json;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeviceSearchTest {

    private static final String SAME_NODE = "{\"requests\":[\"nics\"],\"matchAttribute\":\"d/numaNode\"}";

    @Test
    void takesTheFirstOnesWhereNothingIsConstrained() throws UnsatisfiableException {
        assertThat(names(nics(2, device("a", 0), device("b", 1), device("c", 1)), ""))
                .containsExactly("a", "b");
    }

    @Test
    void goesBackWhereTheFirstOneHasNoPartner() throws UnsatisfiableException {
        assertThat(names(nics(2, device("a", 0), device("b", 1), device("c", 1)), SAME_NODE))
                .containsExactly("b", "c");
    }

    @Test
    void aDeviceWithoutTheAttributeFitsNoConstraint() {
        List<DeviceSearch.Slot> slots = nics(2, device("a", 1), new PublishedDevice("d", "p", "x", "n", Json.object()));

        assertThatThrownBy(() -> names(slots, SAME_NODE))
                .hasMessageContaining("request nics finds no device with the same d/numaNode");
    }

    @Test
    void aConstraintHoldsForItsRequestsAlone() throws UnsatisfiableException {
        List<PublishedDevice> devices = List.of(device("a", 0), device("b", 1));
        var slots = List.of(new DeviceSearch.Slot("nics", devices), new DeviceSearch.Slot("other", devices));

        assertThat(names(slots, SAME_NODE)).containsExactly("a", "b");
        assertThatThrownBy(() -> names(slots, "{\"matchAttribute\":\"d/numaNode\"}"))
                .hasMessageContaining("request other finds no device with the same");
    }

    @Test
    void noDeviceIsGivenTwice() {
        assertThatThrownBy(() -> names(nics(2, device("a", 0)), ""))
                .hasMessageContaining("request nics finds no device");
    }

    @Test
    void aConstraintThatIsNotKnownIsNoneThatHolds() {
        assertThatThrownBy(() -> names(nics(1, device("a", 0)), "{\"distinctAttribute\":\"d/numaNode\"}"))
                .hasMessageContaining("matchAttribute only");
    }

    private static List<DeviceSearch.Slot> nics(int count, PublishedDevice... devices) {
        return Collections.nCopies(count, new DeviceSearch.Slot("nics", List.of(devices)));
    }

    private static List<String> names(List<DeviceSearch.Slot> slots, String constraint) throws UnsatisfiableException {
        JsonNode constraints = Json.literal("{\"all\":[" + constraint + "]}").path("all");
        return DeviceSearch.of(slots, constraints).stream()
                .map(PublishedDevice::name)
                .toList();
    }

    private static PublishedDevice device(String name, int numaNode) {
        return new PublishedDevice(
                "d", "p", name, "n", Json.literal("{\"attributes\":{\"numaNode\":{\"int\":" + numaNode + "}}}"));
    }
}
