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
 * Where the claims of a driver are kept, and with what: the folder of the host's {@code proc}; the kubelet's root directory; the plugin's, with checkpoint
 * and lock; how long to wait for another process that holds the lock; the steps of file operations, with which
 * tests fail single ones; random numbers in 0 … 1.
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

    /** The name of the plugin's lock, which is that of the public driver. */
    public static final String LOCK = "pu.lock";
}
