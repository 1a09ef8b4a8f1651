/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.nvml;

import org.jspecify.annotations.NullMarked;
