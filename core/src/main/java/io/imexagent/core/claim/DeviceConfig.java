package io.imexagent.core.claim;

import java.util.List;
import java.util.Optional;

/**
 * One entry of an allocation's configuration, {@code DeviceAllocationConfiguration}, for the requests that it names
 * (with or without a subrequest), or for all requests if it names none. The parameters are empty if this version does
 * not know their kind.
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

    /** Who wrote a configuration. That of a claim takes precedence over that of a class. */
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
