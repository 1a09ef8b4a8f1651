/** What the build itself says. */
@NullMarked
package io.imexagent.e2e.build;

import org.jspecify.annotations.NullMarked;
