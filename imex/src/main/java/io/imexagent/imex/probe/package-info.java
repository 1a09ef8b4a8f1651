/** The host as it is read: driver, GPUs, fabric, channels, what GPUs report by themselves. */
@NullMarked
package io.imexagent.imex.probe;

import org.jspecify.annotations.NullMarked;
