package io.imexagent.dra.claim;

import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.files.FileSteps;
import io.imexagent.worker.Worker.WorkerObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The surroundings of a driver's claims: the host's {@code proc}; the kubelet's root directory; the plugin's directory
 * with checkpoint and lock; how long to wait while another process holds the lock; the steps of file operations, with
 * which tests fail single ones; random numbers in 0 … 1.
 */
public record ClaimHost(
        Path root,
        Path kubeletRoot,
        Path plugin,
        Path specs,
        Duration lockPatience,
        FileSteps steps,
        EffectListener effects,
        WorkerObserver workers,
        InstantSource clock,
        LongSupplier nanoTime,
        DoubleSupplier random) {

    /** The name of the plugin's lock file; the public driver uses the same name. */
    public static final String LOCK = "pu.lock";
}
