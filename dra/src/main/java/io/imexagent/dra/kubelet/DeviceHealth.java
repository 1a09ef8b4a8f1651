package io.imexagent.dra.kubelet;

import io.imexagent.core.claim.Shortened;

/**
 * The health of one device for the status of pods; the message is empty for a healthy device. A message over 1,024
 * bytes is cut between words, since the kubelet would cut it inside one.
 */
public record DeviceHealth(String pool, String device, HealthStatus status, String message) {

    /** The limit of the kubelet's API v1, see its DeviceHealth. */
    private static final int LONGEST = 1024;

    public DeviceHealth {
        message = Shortened.to(LONGEST, message);
    }

    /** The health of a device, by the names of the kubelet's API. */
    public enum HealthStatus {
        HEALTHY,
        UNHEALTHY,
        UNKNOWN
    }
}
