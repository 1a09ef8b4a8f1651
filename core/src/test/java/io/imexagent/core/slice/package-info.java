/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.core.slice;

import org.jspecify.annotations.NullMarked;
