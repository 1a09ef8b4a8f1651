/** Claims, nodes and ledgers that are right in every respect, for tests to bend. */
@NullMarked
package io.imexagent.core.specimen;

import org.jspecify.annotations.NullMarked;
