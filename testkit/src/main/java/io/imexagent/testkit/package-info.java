/** x */
@NullMarked
package io.imexagent.testkit;

import org.jspecify.annotations.NullMarked;
