/** Tests of package {@code io.imexagent.testkit.packaging}. */
@NullMarked
package io.imexagent.testkit.packaging;

import org.jspecify.annotations.NullMarked;
