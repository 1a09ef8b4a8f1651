/**
 * The typed port to NVML, the NVIDIA management library: sessions, GPUs, fabric membership, events.
 *
 * <p>{@link io.imexagent.nvml.Nvml} opens a session; {@code io.imexagent.nvml.jna} implements it over
 * {@code libnvidia-ml.so.1} and {@code io.imexagent.nvml.simulated} over a description in memory. Numbers and their
 * meaning are those of NVIDIA's {@code nvml.h}.
 */
@NullMarked
package io.imexagent.nvml;

import org.jspecify.annotations.NullMarked;
