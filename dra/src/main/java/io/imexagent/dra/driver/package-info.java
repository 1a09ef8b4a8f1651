/** One DRA driver put together: its claims and their files, its sockets, its slices. */
@NullMarked
package io.imexagent.dra.driver;

import org.jspecify.annotations.NullMarked;
