/**
 * NVML over {@code libnvidia-ml.so.1} through JNA, in three layers.
 *
 * <p>{@code DynamicLinker} and {@code NvmlFunctions} are the raw mapping: one method for each C function, integers and
 * byte arrays. {@code NvmlCalls} turns results into exceptions and bytes into values by the {@code *Struct} tables.
 * {@link io.imexagent.nvml.jna.JnaNvml} puts the typed port on top.
 */
@NullMarked
package io.imexagent.nvml.jna;

import org.jspecify.annotations.NullMarked;
