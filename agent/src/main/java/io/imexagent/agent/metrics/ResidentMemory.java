package io.imexagent.agent.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The resident memory of a process, from {@code VmRSS} of {@code /proc/<pid>/status} (proc(5)). */
final class ResidentMemory {

    private static final String LINE = "VmRSS:";

    private final Path status;

    ResidentMemory(Path status) {
        this.status = status;
    }

    /** Bytes; not a number where the kernel does not tell. */
    double bytes() {
        try {
            for (String line : Files.readAllLines(status)) {
                if (line.startsWith(LINE)) {
                    return Long.parseLong(line.substring(LINE.length())
                                    .replace("kB", "")
                                    .strip())
                            * 1024.0;
                }
            }
        } catch (IOException | NumberFormatException untold) {
            return Double.NaN;
        }
        return Double.NaN;
    }
}
