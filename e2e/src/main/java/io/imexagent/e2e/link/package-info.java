/** Links in the built image what a class cache cannot keep linked. */
@NullMarked
package io.imexagent.e2e.link;

import org.jspecify.annotations.NullMarked;
