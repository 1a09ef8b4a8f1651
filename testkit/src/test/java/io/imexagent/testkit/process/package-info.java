/** Tests of package {@code io.imexagent.testkit.process}. */
@NullMarked
package io.imexagent.testkit.process;

import org.jspecify.annotations.NullMarked;
