/** Tests of package {@code io.imexagent.testkit.workload}. */
@NullMarked
package io.imexagent.testkit.workload;

import org.jspecify.annotations.NullMarked;
