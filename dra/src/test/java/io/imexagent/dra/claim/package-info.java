/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.dra.claim;

import org.jspecify.annotations.NullMarked;
