/** Links in the built image what a class cache cannot keep linked. */
@NullMarked
package io.imexagent.testkit.link;

import org.jspecify.annotations.NullMarked;
