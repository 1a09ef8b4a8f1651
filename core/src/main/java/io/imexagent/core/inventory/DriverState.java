package io.imexagent.core.inventory;

import java.util.Optional;

/** The NVIDIA driver as NVML sees it. */
public sealed interface DriverState {

    /** The driver is loaded and answers; with its version and that of the NVML library. */
    record LoadedDriver(String driverVersion, String nvmlVersion) implements DriverState {}

    /** There is no driver, or it is not loaded. */
    record AbsentDriver(String reason) implements DriverState {}

    /** The driver is there and does not answer as it should: a mismatch, an error, no answer in time. */
    record FailingDriver(String reason) implements DriverState {}

    /** Why it does not answer, as a clause; empty where it does. */
    default Optional<String> why() {
        return switch (this) {
            case LoadedDriver _ -> Optional.empty();
            case AbsentDriver(String reason) -> Optional.of(reason);
            case FailingDriver(String reason) -> Optional.of(reason);
        };
    }
}
