/** x */
@NullMarked
package io.imexagent.core;

import org.jspecify.annotations.NullMarked;
