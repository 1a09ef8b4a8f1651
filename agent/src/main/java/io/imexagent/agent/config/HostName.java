package io.imexagent.agent.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Tells what this host is called. */
@FunctionalInterface
public interface HostName {

    /**
     * The host's name in lower case, as the kubelet takes it for the Node's name where it is told no other.
     *
     * @throws IOException where the name cannot be read
     */
    String read() throws IOException;

    /** The name in the kernel's file, {@code /proc/sys/kernel/hostname}. */
    static HostName inFile(Path file) {
        return () -> Files.readString(file).strip().toLowerCase(Locale.ROOT);
    }
}
