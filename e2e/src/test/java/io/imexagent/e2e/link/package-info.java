/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.e2e.link;

import org.jspecify.annotations.NullMarked;
