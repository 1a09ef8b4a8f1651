package io.imexagent.dra.kubelet;

/** The health of one device, and what is wrong, for the status of the pod; empty where nothing is. */
public record DeviceHealth(String pool, String device, Status status, String message) {

    /** How a device is. The names are those of the kubelet's API. */
    public enum Status {
        HEALTHY,
        UNHEALTHY,
        UNKNOWN
    }
}
