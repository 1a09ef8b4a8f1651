/** NVML over {@code libnvidia-ml.so.1} through JNA: linker, functions with bytes as arguments, structs, the typed port. */
@NullMarked
package io.imexagent.nvml.jna;

import org.jspecify.annotations.NullMarked;
