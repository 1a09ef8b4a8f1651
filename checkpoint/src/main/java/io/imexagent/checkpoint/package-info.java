/** x */
@NullMarked
package io.imexagent.checkpoint;

import org.jspecify.annotations.NullMarked;
