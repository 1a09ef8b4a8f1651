/** Tests of package {@code io.imexagent.e2e.packaging}. */
@NullMarked
package io.imexagent.e2e.packaging;

import org.jspecify.annotations.NullMarked;
