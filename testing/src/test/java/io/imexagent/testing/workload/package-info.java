/** Tests of package {@code io.imexagent.testing.workload}. */
@NullMarked
package io.imexagent.testing.workload;

import org.jspecify.annotations.NullMarked;
