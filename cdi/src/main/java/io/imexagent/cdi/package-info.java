/** x */
@NullMarked
package io.imexagent.cdi;

import org.jspecify.annotations.NullMarked;
