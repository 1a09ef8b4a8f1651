/** The module's programs as commands of one. */
@NullMarked
package io.imexagent.e2e;

import org.jspecify.annotations.NullMarked;
