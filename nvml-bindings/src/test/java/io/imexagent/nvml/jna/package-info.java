/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.nvml.jna;

import org.jspecify.annotations.NullMarked;
