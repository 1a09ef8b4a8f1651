/** NVML simulated from a description in memory, for the demo and for tests; it touches no hardware and does no I/O. */
@NullMarked
package io.imexagent.nvml.simulated;

import org.jspecify.annotations.NullMarked;
