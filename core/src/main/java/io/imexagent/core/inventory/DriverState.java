package io.imexagent.core.inventory;

import java.util.Optional;

/** The NVIDIA driver as NVML sees it. */
public sealed interface DriverState {

    /** The driver is loaded and answers; with its version and that of the NVML library. */
    record Loaded(String driverVersion, String nvmlVersion) implements DriverState {}

    /** There is no driver, or it is not loaded. */
    record Absent(String reason) implements DriverState {}

    /** The driver is there and does not answer as it should: a mismatch, an error, no answer in time. */
    record Failing(String reason) implements DriverState {}

    /** Why it does not answer, as a clause; empty where it does. */
    default Optional<String> why() {
        return switch (this) {
            case Loaded _ -> Optional.empty();
            case Absent(String reason) -> Optional.of(reason);
            case Failing(String reason) -> Optional.of(reason);
        };
    }
}
