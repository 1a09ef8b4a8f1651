/** The typed port to NVML, the NVIDIA management library. Numbers and their meaning are those of {@code nvml.h}. */
@NullMarked
package io.imexagent.nvml;

import org.jspecify.annotations.NullMarked;
