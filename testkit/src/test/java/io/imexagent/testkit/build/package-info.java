/** What the build itself says. */
@NullMarked
package io.imexagent.testkit.build;

import org.jspecify.annotations.NullMarked;
