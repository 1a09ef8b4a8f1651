/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.rdma.rails;

import org.jspecify.annotations.NullMarked;
