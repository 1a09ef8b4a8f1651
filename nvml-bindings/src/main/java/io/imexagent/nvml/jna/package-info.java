/**
 * NVML over {@code libnvidia-ml.so.1} through JNA, in three layers.
 *
 * <p>{@code DynamicLinker} loads the library. {@code NvmlFunctions} calls its functions, with integers and byte arrays,
 * and turns results into exceptions; the {@code *Struct} tables turn bytes into values.
 * {@link io.imexagent.nvml.jna.JnaNvml} puts the typed port on top.
 */
@NullMarked
package io.imexagent.nvml.jna;

import org.jspecify.annotations.NullMarked;
