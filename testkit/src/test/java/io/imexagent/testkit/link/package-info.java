/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.testkit.link;

import org.jspecify.annotations.NullMarked;
