/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.dra.kubelet;

import org.jspecify.annotations.NullMarked;
