/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.rdma.check;

import org.jspecify.annotations.NullMarked;
