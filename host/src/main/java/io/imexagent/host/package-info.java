/** What the JDK lacks to deal with the host: POSIX calls, and programs that end in time. */
@NullMarked
package io.imexagent.host;

import org.jspecify.annotations.NullMarked;
