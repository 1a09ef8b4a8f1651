package io.imexagent.dra.kubelet;

import io.imexagent.core.claim.Shortened;

/**
 * The health of one device, and what is wrong, for the status of the pod; empty where nothing is. A message over 1,024
 * bytes is cut at a word: the kubelet would cut it within one.
 */
public record DeviceHealth(String pool, String device, HealthStatus status, String message) {

    /** The kubelet's API v1 counts so many, see its DeviceHealth. */
    private static final int LONGEST = 1024;

    public DeviceHealth {
        message = Shortened.to(LONGEST, message);
    }

    /** How a device is. The names are those of the kubelet's API. */
    public enum HealthStatus {
        HEALTHY,
        UNHEALTHY,
        UNKNOWN
    }
}
