package io.imexagent.testing.kubelet;

import java.time.Duration;
import java.time.Instant;

/**
 * A plugin's report of one device.
 *
 * @param device its name in the pool
 * @param health {@code HEALTHY}, {@code UNHEALTHY} or {@code UNKNOWN}
 * @param message what is wrong
 * @param updated when the plugin says that it looked
 * @param timeout how long the report may be believed
 */
public record DeviceStatus(
        String pool, String device, String health, String message, Instant updated, Duration timeout) {}
