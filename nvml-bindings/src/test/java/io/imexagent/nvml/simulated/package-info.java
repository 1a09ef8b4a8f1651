/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.nvml.simulated;

import org.jspecify.annotations.NullMarked;
