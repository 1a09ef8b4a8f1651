package io.imexagent.agent.runtime;

import io.imexagent.checkpoint.PluginLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads JNA's native part and opens the plugin's lock beside the rest of the start: reading the configuration needs
 * neither, the recovery and NVML need both.
 */
final class LockAhead {

    private static final Logger LOG = LoggerFactory.getLogger(LockAhead.class);

    private LockAhead() {}

    /** A lock that is getting ready; whoever takes it first waits for the rest. */
    static PluginLock begin(Path file) {
        var lock = new PluginLock(file);
        Thread.ofPlatform().name("start-lock").daemon().start(() -> warm(lock, file));
        return lock;
    }

    private static void warm(PluginLock lock, Path file) {
        try {
            Optional<Path> directory = Optional.ofNullable(file.getParent());
            if (directory.isPresent()) {
                Files.createDirectories(
                        directory.get(),
                        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
            }
            lock.warm();
        } catch (IOException failure) {
            // The recovery meets the same fault and refuses the start with its remedy.
            LOG.debug("lock not ready path={} reason=\"{}\"", file, failure.getMessage());
        }
    }
}
