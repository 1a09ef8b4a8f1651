package io.imexagent.core.claim;

import java.util.List;
import java.util.Optional;

/**
 * One entry of an allocation's configuration, {@code DeviceAllocationConfiguration}, for these requests, with or
 * without a subrequest, or for all where it names none; empty is a kind that this version does not know.
 */
public record DeviceConfig(Source source, List<String> requests, Optional<Opaque> opaque) {

    public DeviceConfig {
        requests = List.copyOf(requests);
    }

    public boolean appliesTo(AllocatedDevice device) {
        return requests.isEmpty()
                || requests.contains(device.request())
                || requests.contains(AllocatedDevice.mainRequest(device.request()));
    }

    /** Who wrote a configuration. A claim's beats a class's. */
    public enum Source {
        FROM_CLASS("FromClass"),
        FROM_CLAIM("FromClaim");

        private final String wire;

        Source(String wire) {
            this.wire = wire;
        }

        public String wire() {
            return wire;
        }
    }

    /** Parameters, one JSON value, that only this driver understands. */
    public record Opaque(String driver, JsonText parameters) {}
}
