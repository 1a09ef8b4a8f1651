/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.core.claim;

import org.jspecify.annotations.NullMarked;
