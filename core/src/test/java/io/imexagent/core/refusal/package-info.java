/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.core.refusal;

import org.jspecify.annotations.NullMarked;
