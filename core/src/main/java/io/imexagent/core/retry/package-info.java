/** Waiting between tries. */
@NullMarked
package io.imexagent.core.retry;

import org.jspecify.annotations.NullMarked;
