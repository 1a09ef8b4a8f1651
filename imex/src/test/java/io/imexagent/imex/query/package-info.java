/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.query;

import org.jspecify.annotations.NullMarked;
