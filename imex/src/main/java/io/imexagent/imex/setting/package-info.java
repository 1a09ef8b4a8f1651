/** What can be set of the driver of IMEX channels. */
@NullMarked
package io.imexagent.imex.setting;

import org.jspecify.annotations.NullMarked;
