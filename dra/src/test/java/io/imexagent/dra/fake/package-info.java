/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.dra.fake;

import org.jspecify.annotations.NullMarked;
