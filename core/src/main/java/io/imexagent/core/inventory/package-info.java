/** The node as one immutable snapshot: driver, GPUs, NVLink clique, IMEX channels, findings. */
@NullMarked
package io.imexagent.core.inventory;

import org.jspecify.annotations.NullMarked;
