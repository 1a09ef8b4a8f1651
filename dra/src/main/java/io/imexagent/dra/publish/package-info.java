/** The node's devices as ResourceSlices. */
@NullMarked
package io.imexagent.dra.publish;

import org.jspecify.annotations.NullMarked;
