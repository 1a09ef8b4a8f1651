package io.imexagent.nvml;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** NVML could not be called, refused to answer, or gave an impossible answer; the variants are the cases. */
public abstract sealed class NvmlException extends Exception {
    private NvmlException(String message) {
        super(message);
    }

    /** None of the places where the dynamic linker searches, or a driver installs, has a {@code libnvidia-ml.so.1}. */
    public static final class LibraryNotFound extends NvmlException {
        /** Creates the exception with the folders that were searched, and the linker's cache. */
        public LibraryNotFound(List<Path> searched) {
            super("libnvidia-ml.so.1 not found, searched "
                    + searched.stream().map(Path::toString).collect(Collectors.joining(", ")));
        }
    }

    /** A library exists, but this process cannot load it. */
    public static final class LibraryNotLoadable extends NvmlException {
        /** Creates the exception with the dynamic linker's message for each library that was tried. */
        public LibraryNotLoadable(List<String> reasons) {
            super("libnvidia-ml.so.1 cannot be loaded: " + String.join("; ", reasons));
        }
    }

    /** A library exists, but its load does not end. */
    public static final class LibraryHangs extends NvmlException {
        public LibraryHangs(Path library, Duration waited) {
            super(library + " hangs while it is loaded: a process that does nothing else did not end within "
                    + waited.toSeconds() + " s");
        }
    }

    /** A call returned a result other than success. */
    public static final class CallFailed extends NvmlException {
        private final Numbered<NvmlReturn> result;

        /** Creates the exception with NVML's own text for the result, if it has one. */
        public CallFailed(NvmlCall call, Numbered<NvmlReturn> result, Optional<String> driverText) {
            super(call.symbol() + " failed: " + result + " (" + result.number() + ")"
                    + driverText.map(text -> ", " + text).orElse("")
                    + result.name()
                            .flatMap(CallFailed::remedy)
                            .map(text -> "; " + text)
                            .orElse(""));
            this.result = result;
        }

        public Numbered<NvmlReturn> result() {
            return result;
        }

        private static Optional<String> remedy(NvmlReturn result) {
            return Optional.ofNullable(
                    switch (result) {
                        case DRIVER_NOT_LOADED -> "load the nvidia kernel module";
                        case LIB_RM_VERSION_MISMATCH ->
                            "kernel module and library differ in version: reload the nvidia modules or reboot";
                        case NO_PERMISSION -> "run as root or allow access to /dev/nvidia*";
                        case GPU_IS_LOST -> "the GPU fell off the bus: drain the node and reboot";
                        case RESET_REQUIRED -> "reset the GPU";
                        default -> null;
                    });
        }
    }

    /** A call succeeded with an answer that cannot be right, such as an empty name. */
    public static final class BadAnswer extends NvmlException {
        public BadAnswer(NvmlCall call, String what) {
            super(call.symbol() + " succeeded with " + what + "; check that driver and library belong together");
        }
    }
}
