/** x */
@NullMarked
package io.imexagent.kubernetes;

import org.jspecify.annotations.NullMarked;
