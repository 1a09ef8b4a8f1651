package io.imexagent.core.inventory;

import java.util.Optional;

/** The NVIDIA driver as NVML sees it. */
public sealed interface DriverState {

    /** The driver is loaded and answers. */
    record LoadedDriver(String driverVersion, String nvmlVersion) implements DriverState {}

    /** There is no driver, or it is not loaded. */
    record AbsentDriver(String reason) implements DriverState {}

    /** The driver is loaded but gives no valid answer: a version mismatch, an error, a timeout. */
    record FailingDriver(String reason) implements DriverState {}

    /** Why the driver gives no answer, as a clause; empty if it answers. */
    default Optional<String> why() {
        return switch (this) {
            case LoadedDriver _ -> Optional.empty();
            case AbsentDriver(String reason) -> Optional.of(reason);
            case FailingDriver(String reason) -> Optional.of(reason);
        };
    }
}
