package io.imexagent.dra.driver;

import io.imexagent.dra.claim.EffectListener;
import io.imexagent.dra.worker.WorkerObserver;
import io.imexagent.files.FileSteps;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Where the claims of a driver are kept, and what they are kept with.
 *
 * @param kubeletRoot the kubelet's root directory, with its own record of claims
 * @param plugin the directory of the plugin, with checkpoint and lock
 * @param specs the directory of CDI specs
 * @param lockPatience how long to wait for another process that holds the lock
 * @param steps the steps of file operations, with which tests fail single ones
 * @param nanoTime the monotonic clock
 * @param random random numbers in 0 … 1
 */
public record ClaimHost(
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
