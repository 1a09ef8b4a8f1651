/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.kubernetes.json;

import org.jspecify.annotations.NullMarked;
