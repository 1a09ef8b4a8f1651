/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.core.text;

import org.jspecify.annotations.NullMarked;
