/** The watch of the host's nvidia-imex, and what follows from it for devices, claims and the cluster. */
@NullMarked
package io.imexagent.agent.imex;

import org.jspecify.annotations.NullMarked;
