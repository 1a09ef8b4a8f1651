/** What a start, a sweep and a change of the node owe to prepared claims. */
@NullMarked
package io.imexagent.dra.recovery;

import org.jspecify.annotations.NullMarked;
