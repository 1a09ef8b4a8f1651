/** Tests of package {@code io.imexagent.testkit.bench}. */
@NullMarked
package io.imexagent.testkit.bench;

import org.jspecify.annotations.NullMarked;
