/** Named threads with a bounded queue, on which blocking work is done in order. */
@NullMarked
package io.imexagent.dra.worker;

import org.jspecify.annotations.NullMarked;
