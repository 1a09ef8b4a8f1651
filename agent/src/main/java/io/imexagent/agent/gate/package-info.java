/** The gate of nvidia-imex: whether its service belongs on this host. Read from files first, from NVML where it must. */
@NullMarked
package io.imexagent.agent.gate;

import org.jspecify.annotations.NullMarked;
