/** x */
@NullMarked
package io.imexagent.nvml;

import org.jspecify.annotations.NullMarked;
