/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.testkit.kubelet;

import org.jspecify.annotations.NullMarked;
